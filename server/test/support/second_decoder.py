"""Decodes images with Pillow. Standard input contains files, each preceded by its length in four bytes. For each file,
one line is written to standard output: "ok FORMAT SHA256", with the hash of the RGBA pixels of the first frame, or the
error."""
import hashlib
import io
import struct
import sys
import warnings

from PIL import Image

warnings.simplefilter("ignore")
Image.MAX_IMAGE_PIXELS = None


def judge(data):
    with Image.open(io.BytesIO(data)) as image:
        image.verify()
    with Image.open(io.BytesIO(data)) as image:
        for frame in range(getattr(image, "n_frames", 1)):
            image.seek(frame)
            image.load()
        image.seek(0)
        pixels = hashlib.sha256(image.convert("RGBA").tobytes()).hexdigest()
        return f"ok {image.format} {pixels}"


while True:
    head = sys.stdin.buffer.read(4)
    if len(head) < 4:
        break
    data = sys.stdin.buffer.read(struct.unpack(">I", head)[0])
    try:
        verdict = judge(data)
    except Exception as error:  # Any exception means that Pillow rejects the file.
        verdict = repr(error).replace("\n", " ")
    print(verdict, flush=True)

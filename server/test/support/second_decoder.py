"""Opens images with Pillow. On standard input: four bytes of length and a file, again and again; on standard output:
one line for each, "ok FORMAT" with the SHA-256 of the first frame's RGBA pixels, or what is wrong."""
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
    except Exception as error:  # whatever a decoder throws is a refusal
        verdict = repr(error).replace("\n", " ")
    print(verdict, flush=True)

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ImageType } from '../../src/media/image-types.js';

const SCRIPT = fileURLToPath(new URL('./second_decoder.py', import.meta.url));

/**
 * Decodes images with Pillow, from Debian's python3-pil. Pillow has its own decoders for PNG and GIF, and uses other
 * builds and versions of libjpeg and libwebp than libvips.
 */
export class SecondDecoder {
  private readonly child: ChildProcess = spawn('/usr/bin/python3', [SCRIPT], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  private readonly verdicts = createInterface({ input: this.child.stdout! })[Symbol.asyncIterator]();

  /**
   * Returns the SHA-256 of the RGBA pixels of the first frame, or a fault if Pillow rejects the file or detects another
   * type.
   */
  async decode(bytes: Buffer, type: ImageType): Promise<{ pixels: string } | { fault: string }> {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(bytes.length);
    this.child.stdin!.write(Buffer.concat([head, bytes]));
    const { value, done } = await this.verdicts.next();
    if (done) throw new Error('Pillow exited. Check that the package python3-pil is installed.');
    const [ok, format, pixels = ''] = value.split(' ');
    return ok === 'ok' && format === type.slice(6).toUpperCase() ? { pixels } : { fault: value };
  }

  async close(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.stdin!.end();
    await ended;
  }
}

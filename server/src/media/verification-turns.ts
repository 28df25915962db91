import { Admission, NotAdmitted } from '../platform/concurrency/admission.js';
import { ApiError } from '../platform/http/errors.js';

/**
 * The maximum number of files that are verified or resized at a time, and therefore also of inspection threads.
 * Together with the limit on decoded bytes, it bounds the memory for decoding.
 */
const CONCURRENCY = 2;
const WAIT_MS = 60_000;

const admission = new Admission({ total: CONCURRENCY });

/**
 * Waits until work for this key may start, then runs it. The work holds a file in memory and decodes it. The key is the
 * id of the store for verification, and the id of the product for resizing. Only one file per key is processed at a
 * time, so the large files that one store attaches do not occupy both slots.
 */
export async function takeTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
  const applicant = { key, limit: 1 };
  try {
    if (!admission.tryEnter(applicant)) await admission.wait(applicant, { waitMs: WAIT_MS });
  } catch (error) {
    throw error instanceof NotAdmitted ? tooManyImages(error) : error;
  }
  try {
    return await work();
  } finally {
    admission.leave(applicant);
  }
}

function tooManyImages(cause: unknown): ApiError {
  return new ApiError(
    503,
    'busy',
    'Too many images are being processed. Retry later, with fewer at a time.',
    {
      headers: { 'Retry-After': '10' },
      cause,
    },
  );
}

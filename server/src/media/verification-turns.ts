import { Admission, NotAdmitted } from '../platform/concurrency/admission.js';
import { ApiError } from '../platform/http/errors.js';

/**
 * The number of files that are verified at a time, and of inspection threads. Together with the limit on decoded bytes,
 * it bounds the memory for decoding.
 */
const CONCURRENCY = 2;
const WAIT_MS = 60_000;

/**
 * Stores take turns, and one store never holds both places, so large files of one store do not delay those of another.
 */
const admission = new Admission({ total: CONCURRENCY });

/** Waits for this store's turn, then runs the work, which holds a file in memory and decodes it. */
export async function takeTurn<T>(workspaceId: string, work: () => Promise<T>): Promise<T> {
  const applicant = { key: workspaceId, limit: 1 };
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
    'Too many images of this store are being verified. Attach fewer at a time.',
    {
      headers: { 'Retry-After': '10' },
      cause,
    },
  );
}

import { createHash } from 'node:crypto';
import type { LoadGenerator, NullBackend } from '../servers/processes.ts';
import { type RequestSigner, type S3Request, signAll } from './sign.ts';
import { answerTo, beginUpload } from './upload.ts';

/** With what the state is made that requests use up, before each turn. */
interface PreparationTools {
  readonly signer: RequestSigner;
  readonly load: LoadGenerator;
  /** Of the gateway. */
  readonly port: number;
}

/** @returns the requests of one turn, each to be sent once */
export type Preparation = (tools: PreparationTools) => Promise<readonly S3Request[]>;

const AT_ONCE = 16;
/** Looks at the count of calls, this far apart in milliseconds, until two are the same. */
const LOOK_MS = 250;
const MOST_LOOKS = 240;

/**
 * Uploads of so many parts, of which only the Complete is left. Parts are copies of an object that is there, so that
 * they cost no time.
 * @param source bucket and key of an object of the smallest size that a part may have
 */
export function openUploads(
  bucket: string,
  { uploads, parts, source }: { readonly uploads: number; readonly parts: number; readonly source: string },
): Preparation {
  return async ({ signer, load, port }) => {
    const paths = Array.from({ length: uploads }, (_, number) => `/${bucket}/complete-${number}`);
    const open = await Promise.all(
      paths.map(async (path) => ({ path, uploadId: await beginUpload(signer, (begin) => ({ ...begin, path })) })),
    );
    const copies = open.flatMap(({ path, uploadId }) =>
      Array.from({ length: parts }, (_, part): S3Request => {
        return { method: 'PUT', path, query: { partNumber: String(part + 1), uploadId }, copyOf: source };
      }),
    );
    await load.run({ port, connections: AT_ONCE, milliseconds: 0, requests: await signAll(signer, copies) });
    return Promise.all(
      open.map(async ({ path, uploadId }) => {
        const listed = await answerTo(signer, { method: 'GET', path, query: { uploadId } });
        const etags = [...listed.matchAll(/<ETag>([^<]+)<\/ETag>/g)].map(([, etag]) => etag ?? '');
        if (etags.length !== parts) throw new Error(`${etags.length} of ${parts} parts are there`);
        const named = etags.map(
          (etag, part) => `<Part><PartNumber>${part + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
        );
        const text = `<CompleteMultipartUpload>${named.join('')}</CompleteMultipartUpload>`;
        return { method: 'POST', path, query: { uploadId }, text };
      }),
    );
  };
}

/** Objects without bytes, a thousand for each request that deletes them. */
export function objectsToDelete(bucket: string, { requests }: { readonly requests: number }): Preparation {
  return async ({ signer, load, port }) => {
    const lists = Array.from({ length: requests }, (_, list) =>
      Array.from({ length: 1000 }, (_key, number) => `delete-${list}/${String(number).padStart(4, '0')}`),
    );
    const puts = lists
      .flat()
      .map((key): S3Request => ({ method: 'PUT', path: `/${bucket}/${key}`, size: 0, payload: 'unsigned' }));
    await load.run({ port, connections: AT_ONCE, milliseconds: 0, requests: await signAll(signer, puts) });
    return lists.map((keys) => {
      const text = `<Delete>${keys.map((key) => `<Object><Key>${key}</Key></Object>`).join('')}</Delete>`;
      const headers = { 'content-md5': createHash('md5').update(text).digest('base64') };
      return { method: 'POST', path: `/${bucket}`, query: { delete: '' }, text, headers };
    });
  };
}

/** Resolves when the gateway has done what it does behind its answers. */
export async function settled(backend: NullBackend): Promise<void> {
  let before = await backend.calls();
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const now = await backend.calls();
    if (now === before) return;
    before = now;
  }
}

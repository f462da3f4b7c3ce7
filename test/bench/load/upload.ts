import type { RequestSigner, S3Request } from './sign.ts';

export const BUCKET = 'bench';
/** Stands in queries for the id of the upload that is begun before anything is measured. */
export const UPLOAD = '{upload}';
/** Begins it. */
const BEGIN_UPLOAD: S3Request = { method: 'POST', path: `/${BUCKET}/parts`, query: { uploads: '' } };

/** The same request with the id where its place is. */
export function ofUpload(request: S3Request, uploadId: string): S3Request {
  const { query } = request;
  return query?.['uploadId'] === UPLOAD ? { ...request, query: { ...query, uploadId } } : request;
}

/** @returns the id of an upload that stays open */
export async function beginUpload(
  signer: RequestSigner,
  moved: (request: S3Request) => S3Request = (request) => request,
): Promise<string> {
  const answer = await answerTo(signer, moved(BEGIN_UPLOAD));
  const id = /<UploadId>([^<]+)</.exec(answer)?.[1];
  if (id === undefined) throw new Error(`no upload: ${answer.slice(0, 300)}`);
  return id;
}

/** Sends a request without a body. @returns the text of the answer */
export async function answerTo(signer: RequestSigner, request: S3Request): Promise<string> {
  const { head } = await signer.sign(request);
  const [line = '', ...lines] = head.trimEnd().split('\r\n');
  const headers = lines.map((text) => text.split(/: (.*)/s).slice(0, 2) as [string, string]);
  const target = line.split(' ')[1] ?? '';
  const kept = headers.filter(([name]) => name !== 'host');
  const { method } = request;
  const answer = await fetch(`http://127.0.0.1:${signer.port}${target}`, { method, headers: kept });
  return answer.text();
}

import type { RequestSigner, S3Request } from './sign.ts';
import { BEGIN_UPLOAD, UPLOAD } from './work.ts';

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
  const { head } = await signer.sign(moved(BEGIN_UPLOAD));
  const [line = '', ...lines] = head.trimEnd().split('\r\n');
  const headers = lines.map((text) => text.split(/: (.*)/s).slice(0, 2) as [string, string]);
  const target = line.split(' ')[1] ?? '';
  const kept = headers.filter(([name]) => name !== 'host');
  const answer = await fetch(`http://127.0.0.1:${signer.port}${target}`, { method: 'POST', headers: kept });
  const id = /<UploadId>([^<]+)</.exec(await answer.text())?.[1];
  if (id === undefined) throw new Error(`no upload: ${String(answer.status)}`);
  return id;
}

import type { S3Request } from './sign.ts';

/** What the test bed puts before the names of buckets there. */
const PREFIX = 'testbed-';
/** As the adapter asks for them. */
const FIELDS =
  'generation,metageneration,timeCreated,md5Hash,name,size,contentType,contentEncoding,contentLanguage,contentDisposition,cacheControl,metadata';

/** The requests of a work as the backend understands them: what the bare proxy gets and passes on. */
export function rawRequests(requests: readonly S3Request[], backend: 'azure' | 'gcs'): readonly S3Request[] {
  return backend === 'azure' ? requests : requests.map(ofGoogle);
}

function ofGoogle(request: S3Request): S3Request {
  const { method, path, query, size, payload } = request;
  const [, container = '', name] = /^\/([^/]+)(?:\/(.+))?$/.exec(path) ?? [];
  const bucket = PREFIX + container;
  const objects = `/storage/v1/b/${bucket}/o`;
  if (method === 'PUT' && name === undefined) {
    return {
      method: 'POST',
      path: '/storage/v1/b',
      query: { project: 'bench' },
      text: JSON.stringify({ name: bucket }),
    };
  }
  if (name === undefined) {
    const all = { maxResults: '1000', fields: `kind,items(${FIELDS}),prefixes,nextPageToken` };
    return query?.['comp'] === 'list' ? { method, path: objects, query: all } : { method, path: `/${bucket}` };
  }
  if (method === 'HEAD') {
    return { method: 'GET', path: `${objects}/${encodeURIComponent(name)}`, query: { fields: FIELDS } };
  }
  if (method !== 'PUT') return { method, path: `/${bucket}/${name}` };
  return {
    method: 'POST',
    path: `/upload${objects}`,
    query: { uploadType: 'media', name },
    size: size ?? 0,
    ...(payload !== undefined && { payload }),
  };
}

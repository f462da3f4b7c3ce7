import type { IncomingHttpHeaders } from 'node:http';
import type { CallKind, ProxiedCall, Service } from './fault.ts';

/** A request before its body was looked at. */
interface RequestHead {
  readonly method: string;
  /** Raw. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

type Description = Omit<ProxiedCall, 'count'>;

type Subject = Pick<ProxiedCall, 'kind' | 'container' | 'name'>;

/** What a request is about; a GCS upload says its name in the body, so it has none here. */
export function describeRequest(service: Service, head: RequestHead): Description {
  const [path = '', search = ''] = head.target.split('?', 2);
  const query = new URLSearchParams(search);
  const subject = service === 'azure' ? azureSubject(head, path, query) : gcsSubject(head.method, path, query);
  const changes = !READING.has(head.method) && subject.kind !== 'other';
  return {
    service,
    method: head.method,
    target: head.target,
    ...subject,
    changes,
    conditional: changes && isConditional(head, query),
  };
}

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

function isConditional({ headers }: RequestHead, query: URLSearchParams): boolean {
  return headers['if-match'] !== undefined || headers['if-none-match'] !== undefined || query.has('ifGenerationMatch');
}

/**
 * Kinds of `PUT` on a blob by its `comp` (https://learn.microsoft.com/rest/api/storageservices/operations-on-blobs).
 */
const AZURE_PUTS: Readonly<Record<string, CallKind>> = {
  block: 'stagePart',
  blocklist: 'assemble',
  metadata: 'setMetadata',
  properties: 'setMetadata',
};

/** `/account/container/name`: emulators have the account in the path. */
function azureSubject({ method, headers }: RequestHead, path: string, query: URLSearchParams): Subject {
  const [, , container = '', ...rest] = path.split('/');
  const name = rest.join('/');
  const comp = query.get('comp') ?? '';
  if (method === 'POST' && comp === 'batch') return { kind: 'removeMany', ...(container !== '' && { container }) };
  if (container === '' || method === 'POST') return { kind: 'other' };
  if (name === '') return { kind: comp === 'list' ? 'list' : 'container', container };
  const about = { container, name: decodeURIComponent(name) };
  if (method === 'PUT' && headers['x-ms-copy-source'] !== undefined) return { kind: 'copy', ...about };
  if (method === 'PUT') return { kind: AZURE_PUTS[comp] ?? 'write', ...about };
  return { kind: BY_METHOD[method] ?? 'other', ...about };
}

const BY_METHOD: Readonly<Record<string, CallKind>> = {
  GET: 'read',
  HEAD: 'head',
  DELETE: 'remove',
  PATCH: 'setMetadata',
};

const GCS_JSON =
  /^\/(?<upload>upload\/)?storage\/v1\/b(?:\/(?<bucket>[^/]+)(?:\/o(?:\/(?<object>[^/]+)(?:\/(?<verb>compose|rewriteTo)(?:\/b\/(?<targetBucket>[^/]+)\/o\/(?<target>[^/]+))?)?)?)?)?$/;
const GCS_XML = /^\/(?<bucket>[^/]+)\/(?<object>.+)$/;

/** https://cloud.google.com/storage/docs/json_api/v1; reads of bytes come through the XML API. */
function gcsSubject(method: string, path: string, query: URLSearchParams): Subject {
  if (path === '/batch/storage/v1') return { kind: 'removeMany' };
  const json = GCS_JSON.exec(path)?.groups;
  const { bucket, object, verb, targetBucket, target, upload } = json ?? GCS_XML.exec(path)?.groups ?? {};
  if (bucket === undefined) return { kind: 'other' };
  const about = (container: string, name: string): Omit<Subject, 'kind'> => ({
    container,
    name: decodeURIComponent(name),
  });
  if (upload !== undefined) return { kind: 'write', container: bucket };
  if (verb === 'rewriteTo') return { kind: 'copy', ...about(targetBucket ?? '', target ?? '') };
  if (verb === 'compose') return { kind: 'assemble', ...about(bucket, object ?? '') };
  if (object === undefined) return { kind: path.endsWith('/o') ? 'list' : 'container', container: bucket };
  const resource = json !== undefined && method === 'GET' && query.get('alt') !== 'media';
  return { kind: resource ? 'head' : (BY_METHOD[method] ?? 'other'), ...about(bucket, object) };
}

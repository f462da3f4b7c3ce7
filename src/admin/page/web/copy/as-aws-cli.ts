import type { RequestDetail } from '../../../inspector/contract.ts';
import { BODY_OPTIONS, HEADER_FLAGS, PARAMETER_FLAGS, PARAMETER_OPTIONS, headerOption } from './aws-cli-options.ts';
import { parameterName, parameterValue, requestParts } from './request-parts.ts';
import { ENDPOINT, type ShellText, literal, option, shellCommand } from './shell.ts';

/**
 * The CLI takes the contents of a file, or of a URL, for a value that begins so: a stranger's key must not have it send
 * ours.
 */
const READS_ELSEWHERE = /^(?:fileb?|https?):\/\//i;

/**
 * The same request through `aws s3api`, with the keys of whoever runs it; undefined when it is no operation's, or
 * cannot be said.
 */
export function asAwsCli(detail: RequestDetail): string | undefined {
  const { operation, bucket, key } = detail.classification;
  if (operation === undefined) return undefined;
  const parts = requestParts(detail);
  const endpoint = endpointWords(detail, parts.endpoint);
  const place = [
    ...(bucket === undefined ? [] : [valued('--bucket', bucket)]),
    ...(key === undefined ? [] : [valued('--key', key)]),
  ];
  if (endpoint.length === 0 || place.some((words) => words.length === 0)) return undefined;
  const [bodyOption, bodyValue] = (parts.hasBody ? BODY_OPTIONS.get(operation) : undefined) ?? [];
  return shellCommand([
    [literal('aws'), literal('s3api'), literal(kebab(operation))],
    endpoint,
    parts.region === 'us-east-1' ? [] : valued('--region', parts.region),
    parts.signed ? [] : [literal('--no-sign-request')],
    ...place,
    ...parts.query.map(parameterWords),
    ...[...parts.headers].map(([name, value]) => headerWords(operation, name, value)),
    metadataWords(parts.headers),
    bodyOption === undefined || bodyValue === undefined ? [] : [literal(bodyOption), literal(bodyValue)],
    operation.startsWith('List') ? [literal('--no-paginate')] : [],
    operation === 'GetObject' ? [literal('OUTPUT_FILE')] : [],
  ]);
}

/** The CLI puts the bucket before a host itself. */
function endpointWords(
  { classification: { bucket, virtualHost } }: RequestDetail,
  endpoint: string | undefined,
): readonly ShellText[] {
  if (endpoint === undefined) return [literal('--endpoint-url'), ENDPOINT];
  const ofService = virtualHost === true && bucket !== undefined ? endpoint.replace(`//${bucket}.`, '//') : endpoint;
  return option('--endpoint-url', ofService);
}

/** One that begins with a dash would be taken for an option: then both are one word. */
function valued(name: string, value: string): readonly ShellText[] {
  if (READS_ELSEWHERE.test(value)) return [];
  const words = option(name, value);
  return value.startsWith('-') && words.length > 0 ? [words.join('=') as ShellText] : words;
}

function parameterWords(parameter: string): readonly ShellText[] {
  const [name, value] = [parameterName(parameter), parameterValue(parameter)];
  const flag = PARAMETER_FLAGS.get(name);
  if (flag !== undefined) return flagWords(flag, value);
  const known = PARAMETER_OPTIONS.get(name);
  return known === undefined || value === '' ? [] : valued(known, value);
}

function headerWords(operation: string, name: string, value: string): readonly ShellText[] {
  const flag = HEADER_FLAGS.get(name);
  if (flag !== undefined) return flagWords(flag, value);
  const known = headerOption(operation, name);
  const kept = name === 'content-encoding' ? value.replace(/\baws-chunked\b,?\s*/i, '').replace(/,\s*$/, '') : value;
  if (known === undefined || kept === '') return [];
  // The one value that may be a URL: the CLI does not read it.
  return name === 'x-amz-website-redirect-location' && /^https?:\/\//.test(kept)
    ? option(known, kept)
    : valued(known, kept);
}

function flagWords(flag: string, value: string): readonly ShellText[] {
  return value.toLowerCase() === 'true' ? [literal(flag)] : [];
}

function metadataWords(headers: ReadonlyMap<string, string>): readonly ShellText[] {
  const entries = [...headers]
    .filter(([name]) => name.startsWith('x-amz-meta-'))
    .map(([name, value]) => [name.slice('x-amz-meta-'.length), value] as const);
  return entries.length === 0 ? [] : valued('--metadata', JSON.stringify(Object.fromEntries(entries)));
}

/** `ListObjectsV2` → `list-objects-v2`, `GetBucketAcl` → `get-bucket-acl`. */
function kebab(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
}

import type { KeptReasons, PackedDocument, PackedReasons } from '../../observe/packed-reasons.ts';
import type { AuthorizationFacts } from '../../observe/access-facts.ts';
import type { Field } from './entry-fields.ts';
import type { EntryReader } from './entry-reader.ts';
import { LIMIT, shown } from './kept-text.ts';
import type { Packing } from './packing.ts';
import type { SharedTexts } from './shared-texts.ts';

/** Why policies decided as they did, as `KeptReasons` in JSON. Names are the policies' own. */
export const REASONS: Field<AuthorizationFacts, Packing, KeptReasons | undefined> = {
  write({ reasons: find }, packing, out) {
    const reasons = find?.();
    if (reasons === undefined) out.nothing();
    else out.text(reasonsText(reasons, keepResource(reasons.resource, packing), out.shared));
  },
  read(entry: EntryReader) {
    const json = entry.text();
    return json === undefined ? undefined : (JSON.parse(json) as KeptReasons);
  },
};

/** In place of a resource that bucket and key of the request are. */
const ADDRESSED = '';
/** Keys and names that are kept whole, in the resource as well. */
const SURELY_WHOLE = { bucket: LIMIT.id, key: LIMIT.path / 2 } as const;

/** DeleteObjects and copies name others than their targets. */
function keepResource(resource: string, { facts: { bucket = '', key = '' }, address }: Packing): string {
  if (!isAddress(resource, bucket, key)) return shown(resource, LIMIT.path);
  const isWhole = bucket.length <= SURELY_WHOLE.bucket && key.length <= SURELY_WHOLE.key;
  return isWhole ? ADDRESSED : address(resource, LIMIT.path);
}

const RESOURCE = 'arn:aws:s3:::';

function resourceOf(bucket: string, key: string): string {
  return `${RESOURCE}${bucket}/${key}`;
}

/** Whether it is `resourceOf` these, which is not put together to find out. */
function isAddress(resource: string, bucket: string, key: string): boolean {
  const slash = RESOURCE.length + bucket.length;
  return (
    resource.length === slash + 1 + key.length &&
    resource[slash] === '/' &&
    resource.startsWith(RESOURCE) &&
    resource.startsWith(bucket, RESOURCE.length) &&
    resource.endsWith(key)
  );
}

/** What most requests were told is put together by hand, in a fraction of the time. @param resource as it is kept */
function reasonsText(reasons: PackedReasons, resource: string, shared: SharedTexts | undefined): string {
  const { by, documents, omitted, remedies } = reasons;
  const [first] = documents;
  if (
    resource !== ADDRESSED ||
    first === undefined ||
    documents.length > 1 ||
    omitted !== undefined ||
    remedies !== undefined
  ) {
    return JSON.stringify(keepReasons(reasons, resource, shared));
  }
  const kept = shared?.placeOfDocument(first) ?? JSON.stringify(first);
  return `{"resource":"",${by === undefined ? '' : `"by":[${by[0]},${by[1]}],`}"documents":[${kept}]}`;
}

function keepReasons(
  { by, documents, omitted, remedies }: PackedReasons,
  resource: string,
  shared: SharedTexts | undefined,
): KeptReasons {
  return {
    resource,
    ...(by !== undefined && { by }),
    documents: documents.map((document) => shared?.placeOfDocument(document) ?? document),
    ...(omitted !== undefined && { omitted }),
    ...(remedies !== undefined && {
      remedies: remedies.map(({ document, statement }) => ({ document, statement: shown(statement, LIMIT.path) })),
    }),
  };
}

/** Of a request, and what it was told. */
interface Told {
  readonly bucket: string | undefined;
  readonly key: string | undefined;
  readonly reasons: KeptReasons;
}

/** The same with all that was kept elsewhere. @param textAt what stands at the places of documents */
export function wholeReasons(
  { bucket = '', key = '', reasons }: Told,
  textAt: (place: number) => string | undefined,
): KeptReasons {
  const { resource, documents, ...others } = reasons;
  return {
    ...others,
    resource: resource === ADDRESSED ? resourceOf(bucket, key) : resource,
    documents: documents.map((document) => {
      const text = typeof document === 'number' ? textAt(document) : undefined;
      return text === undefined ? document : (JSON.parse(text) as PackedDocument);
    }),
  };
}

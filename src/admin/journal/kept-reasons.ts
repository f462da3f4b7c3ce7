import type { AuthorizationFacts } from '../../observe/access-facts.ts';
import type { KeptReasons, PackedDocument, PackedReasons, ToldStatements } from '../../observe/packed-reasons.ts';
import { RESOURCE, type ResourceArn } from '../../observe/resource-arn.ts';
import type { Field } from './entry-fields.ts';
import type { EntryReader } from './entry-reader.ts';
import type { EntryWriter } from './entry-writer.ts';
import { LIMIT, shown } from './kept-text.ts';
import type { Packing } from './packing.ts';
import type { SharedTexts } from './shared-texts.ts';

/** Why policies decided as they did, as `KeptReasons` in JSON. Names are the policies' own. */
export const REASONS: Field<AuthorizationFacts, Packing, KeptReasons | undefined> = {
  write({ reasons }, packing, out) {
    if (reasons === undefined) out.nothing();
    else writeReasons(reasons, keepResource(reasons.resource, packing), out);
  },
  read(entry: EntryReader) {
    const json = entry.text();
    return json === undefined ? undefined : (JSON.parse(json) as KeptReasons);
  },
};

/** In place of a resource that bucket and key of the request are, or its bucket where it has no key. */
const ADDRESSED = '';
/** Keys and names that are kept whole, in the resource as well. */
const SURELY_WHOLE = { bucket: LIMIT.id, key: LIMIT.path / 2 } as const;

/** DeleteObjects and copies name others than their targets. */
function keepResource(resource: ResourceArn, { facts: { bucket = '', key }, address }: Packing): string {
  if (!isAddress(resource, bucket, key)) return shown(resource.text, LIMIT.path);
  const isWhole = bucket.length <= SURELY_WHOLE.bucket && (key?.length ?? 0) <= SURELY_WHOLE.key;
  return isWhole ? ADDRESSED : address(resource.text, LIMIT.path);
}

function resourceOf(bucket: string, key: string | undefined): string {
  return key === undefined ? RESOURCE + bucket : `${RESOURCE}${bucket}/${key}`;
}

/** Whether it is `resourceOf` these, which is not put together to find out. */
function isAddress({ within, name }: ResourceArn, bucket: string, key: string | undefined): boolean {
  const slash = key === undefined ? 0 : 1;
  return (
    name === (key ?? '') &&
    within.length === RESOURCE.length + bucket.length + slash &&
    (slash === 0 || within.endsWith('/')) &&
    within.startsWith(RESOURCE) &&
    within.startsWith(bucket, RESOURCE.length)
  );
}

/** What most requests were told is kept once for all of them. @param resource as it is kept */
function writeReasons(reasons: PackedReasons, resource: string, out: EntryWriter): void {
  const { told, remedies } = reasons;
  const isCommon = resource === ADDRESSED && remedies === undefined && told.documents.length === 1;
  const place = isCommon ? out.shared?.placeOf(told, commonText) : undefined;
  if (place === undefined) out.text(JSON.stringify(keepReasons(reasons, resource, out.shared)));
  else out.repeated(place);
}

function commonText(told: ToldStatements): string {
  return JSON.stringify({ resource: ADDRESSED, ...told } satisfies KeptReasons);
}

function keepReasons(
  { told: { by, documents, omitted }, remedies }: PackedReasons,
  resource: string,
  shared: SharedTexts | undefined,
): KeptReasons {
  return {
    resource,
    ...(by !== undefined && { by }),
    documents: documents.map((document) => shared?.placeOf(document, JSON.stringify) ?? document),
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
  { bucket = '', key, reasons }: Told,
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

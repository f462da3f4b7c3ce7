import { invalidArgument } from '../../errors/s3-error.ts';
import { encodeForListing } from '../../protocol/percent.ts';
import type { HeaderReader, QueryReader, S3Request } from '../../protocol/request.ts';

const MAX_KEYS = 1000;
const MAX_INTEGER = 2_147_483_647;
/** Bounded as the numbers in conditions of policies are. */
const COUNT = /^[+-]?\d{1,63}$/;

/** Parameters of all listings of objects. */
export interface ListParameters {
  readonly prefix: string;
  /** Empty: none, also when the client sent an empty one. */
  readonly delimiter: string;
  readonly maxKeys: number;
  readonly encodingType: 'url' | undefined;
  /** Applied to every key and prefix of the answer. */
  readonly encode: (text: string) => string;
  /** Say of each object what became of its restore. */
  readonly restoreStatus: boolean;
}

/** @throws S3Error InvalidArgument */
export function listParameters({ query, headers }: Pick<S3Request, 'query' | 'headers'>): ListParameters {
  const encodingType = readEncodingType(query);
  return {
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') ?? '',
    maxKeys: Math.min(readCount(query, 'max-keys', MAX_KEYS), MAX_KEYS),
    encodingType,
    encode: encodingType === undefined ? (text) => text : encodeForListing,
    restoreStatus: wantsRestoreStatus(headers),
  };
}

/** `encoding-type`: absent or `url`. @throws S3Error InvalidArgument */
export function readEncodingType(query: QueryReader): 'url' | undefined {
  const value = query.get('encoding-type');
  if (value === undefined || value === 'url') return value;
  throw invalidArgument('encoding-type', value, 'Invalid Encoding Method specified in Request');
}

/**
 * A count or number marker as Java parses it: 32 bits, not negative; absent and empty mean the default.
 * @throws S3Error InvalidArgument
 */
export function readCount(said: Pick<QueryReader, 'get'>, name: string, byDefault: number): number {
  const value = said.get(name);
  if (value === undefined || value === '') return byDefault;
  const number = COUNT.test(value) ? Number(value) : NaN;
  if (Number.isNaN(number) || Math.abs(number) > MAX_INTEGER) {
    throw invalidArgument(name, value, `Provided ${name} not an integer or within integer range`);
  }
  if (number < 0) {
    throw invalidArgument(name, value, `Argument ${name} must be an integer between 0 and ${MAX_INTEGER}`);
  }
  return number;
}

/**
 * Reads `x-amz-optional-object-attributes`, of which there is one: RestoreStatus.
 * @returns whether it is asked for @throws S3Error InvalidArgument
 */
function wantsRestoreStatus(headers: HeaderReader): boolean {
  const name = 'x-amz-optional-object-attributes';
  const value = headers.get(name);
  if (value === undefined) return false;
  for (const attribute of value.split(',')) {
    if (attribute.trim() !== 'RestoreStatus') throw invalidArgument(name, value, 'Invalid attribute name specified.');
  }
  return true;
}

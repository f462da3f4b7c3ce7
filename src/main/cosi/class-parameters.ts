import type { ClassParameters } from './cosi-messages.ts';
import { CosiRefusal } from './cosi-refusal.ts';

/** One parameter: what it may be, in words, and its value; undefined: the text is none. */
interface Parameter<T> {
  readonly expected: string;
  read(text: string): T | undefined;
}

const NAME: Parameter<string> = {
  expected: 'a name',
  read: (text) => (text === '' ? undefined : text),
};
const FLAG: Parameter<boolean> = {
  expected: '"true" or "false"',
  read: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
};
const COUNT: Parameter<number> = {
  expected: 'a number of 1 or more, in quotes',
  read: (text) => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined),
};
const PREFIX: Parameter<string> = {
  expected: 'the beginning of keys, 1024 bytes or less',
  read: (text) => (text === '' || Buffer.byteLength(text) > 1024 ? undefined : text),
};

/** What a BucketClass may say. */
const BUCKET = { account: NAME, backend: NAME, objectLock: FLAG, quotaBytes: COUNT, quotaObjects: COUNT };
/** What a BucketAccessClass may say. */
const ACCESS = { readOnly: FLAG, prefix: PREFIX };

type Values<T> = { readonly [K in keyof T]?: T[K] extends Parameter<infer V> ? V : never };

/** @throws CosiRefusal `INVALID_ARGUMENT` */
export function bucketParameters(given: ClassParameters): Values<typeof BUCKET> {
  return readParameters(BUCKET, given, 'BucketClass');
}

/** @throws CosiRefusal `INVALID_ARGUMENT` */
export function accessParameters(given: ClassParameters): Values<typeof ACCESS> {
  return readParameters(ACCESS, given, 'BucketAccessClass');
}

/** A parameter that is misspelt must not be passed over: `readonly` would give away what `readOnly` protects. */
function readParameters<T extends Readonly<Record<string, Parameter<unknown>>>>(
  known: T,
  given: ClassParameters,
  kind: string,
): Values<T> {
  const values = Object.entries(given).map(([name, text]) => {
    const parameter = Object.hasOwn(known, name) ? known[name] : undefined;
    if (parameter === undefined) {
      const names = Object.keys(known).join(', ');
      throw new CosiRefusal('INVALID_ARGUMENT', `parameter ${name} of the ${kind}: expected one of ${names}`);
    }
    const value = parameter.read(text);
    if (value === undefined) {
      throw new CosiRefusal('INVALID_ARGUMENT', `parameter ${name} of the ${kind}: expected ${parameter.expected}`);
    }
    return [name, value] as const;
  });
  return Object.fromEntries(values) as Values<T>;
}

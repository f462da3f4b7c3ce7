import { invalidArgument, S3Error } from '../../errors/s3-error.ts';
import { asFieldValue, isFieldName, withoutOuterBlanks } from '../headers/field-text.ts';
import { META_PREFIX } from '../headers/object-attributes.ts';
import type { FormFieldReader, HeaderReader } from '../request.ts';

const FILENAME = '${filename}';
/** Signed as they are, or signatures themselves: what a client calls its file has no place in them. */
const VERBATIM: ReadonlySet<string> = new Set([
  'policy',
  'signature',
  'x-amz-signature',
  'awsaccesskeyid',
  'x-amz-credential',
  'x-amz-algorithm',
  'x-amz-date',
  'x-amz-security-token',
]);

/** Fields of a form by lower-case name, in the order in which they came. */
export class FormFields implements FormFieldReader {
  readonly #values = new Map<string, string>();

  /** Values of one name are joined by commas, which is how a policy names them together. */
  add(name: string, value: string): void {
    const lower = name.toLowerCase();
    const earlier = this.#values.get(lower);
    this.#values.set(lower, earlier === undefined ? value : `${earlier},${value}`);
  }

  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  entries(): Iterable<readonly [name: string, value: string]> {
    return this.#values;
  }

  /** With the bucket that the request was sent to, whatever the form says. */
  inBucket(bucket: string): FormFields {
    const fields = new FormFields();
    for (const [name, value] of this.#values) if (name !== 'bucket') fields.add(name, value);
    fields.add('bucket', bucket);
    return fields;
  }
}

/**
 * With the name of the file where a value asks for it. Without a name the values stay as they are, as on S3: files
 * without names would overwrite each other under the name that is left.
 * @param filename undefined: the client gave none
 * @param atMost characters of all values together: a name of some kilobytes, asked for a thousand times, makes many
 * megabytes of a small form
 * @throws S3Error MaxPostPreDataLengthExceeded
 */
export function withFilename(fields: FormFieldReader, filename: string | undefined, atMost: number): FormFields {
  const replacement = filename ?? FILENAME;
  const named = new FormFields();
  let room = atMost;
  for (const [name, value] of fields.entries()) {
    const parts = VERBATIM.has(name) ? [value] : value.split(FILENAME);
    room -= value.length + (parts.length - 1) * (replacement.length - FILENAME.length);
    if (room < 0) throw new S3Error('MaxPostPreDataLengthExceeded');
    named.add(name, parts.join(replacement));
  }
  return named;
}

/** Fields that stand for headers of the same name; others are for the form itself. */
const HEADERS =
  /^(?:cache-control|content-(?:type|disposition|encoding|language|md5)|expires|if-(?:none-)?match|x-amz-(?:meta-.*|storage-class|website-redirect-location|server-side-encryption.*|object-lock-.*|checksum-.*|sdk-checksum-algorithm|grant-.*|acl|request-payer|expected-bucket-owner))$/;

/**
 * The headers that a PutObject of the same object would have: fields of the form, and of the request itself those that
 * only say when it is not to be done.
 * @param tagging value of `x-amz-tagging`
 * @throws S3Error InvalidArgument: no header can carry it, so no answer could say it again
 */
export function formHeaders(fields: FormFields, tagging: string | undefined, sent: HeaderReader): HeaderReader {
  const headers = new Map<string, string>();
  for (const name of ['if-match', 'if-none-match', 'x-amz-expected-bucket-owner', 'x-amz-request-payer']) {
    const value = sent.get(name);
    if (value !== undefined) headers.set(name, value);
  }
  for (const [field, text] of fields.entries()) {
    const name = field === 'acl' ? 'x-amz-acl' : field;
    if (!HEADERS.test(name)) continue;
    // Metadata may be any text: what no header line can say is told again as an encoded word.
    const value = name.startsWith(META_PREFIX) ? utf8Bytes(text) : asFieldValue(text);
    if (value === undefined || !isFieldName(name)) {
      throw invalidArgument(field, text, 'The field cannot be a header of the object.');
    }
    headers.set(name, value);
  }
  if (tagging !== undefined) headers.set('x-amz-tagging', tagging);
  return readerOf(headers);
}

/** As `asFieldValue`, with whatever is in it. */
function utf8Bytes(text: string): string {
  return withoutOuterBlanks(Buffer.from(text).toString('latin1'));
}

function readerOf(headers: ReadonlyMap<string, string>): HeaderReader {
  return {
    get: (name) => headers.get(name),
    *startingWith(prefix) {
      for (const entry of headers) if (entry[0].startsWith(prefix)) yield entry;
    },
  };
}

/**
 * What policies may ask of a form: what it says about the object and its signature, and what the request says about its
 * browser.
 */
export function askedHeaders(fields: FormFieldReader, ofObject: HeaderReader, sent: HeaderReader): HeaderReader {
  const headers = new Map(ofObject.startingWith(''));
  for (const name of ['x-amz-algorithm', 'x-amz-date']) set(headers, name, fields.get(name));
  for (const name of ['user-agent', 'referer']) set(headers, name, sent.get(name));
  return readerOf(headers);
}

function set(headers: Map<string, string>, name: string, value: string | undefined): void {
  if (value !== undefined) headers.set(name, value);
}

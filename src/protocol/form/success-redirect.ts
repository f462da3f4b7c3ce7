const PRINTABLE = /^[\x21-\x7e]+$/;

/** What a page is told of the object that its form made. */
interface PostedObject {
  readonly bucket: string;
  readonly key: string;
  /** Quoted. */
  readonly etag: string;
}

/**
 * Where a browser goes after its form was stored: the address that the form names, with bucket, key and ETag added to
 * its query.
 * @returns undefined for none, and for what is no address: S3 answers then as if none had been asked for
 */
export function redirectAfterPost(
  address: string | undefined,
  { bucket, key, etag }: PostedObject,
): string | undefined {
  if (address === undefined || !PRINTABLE.test(address) || !/^https?:\/\//i.test(address) || !URL.canParse(address)) {
    return undefined;
  }
  const mark = address.indexOf('#');
  const [target, fragment] = mark < 0 ? [address, ''] : [address.slice(0, mark), address.slice(mark)];
  const query = `bucket=${encodeURIComponent(bucket)}&key=${encodeURIComponent(key)}&etag=${encodeURIComponent(etag)}`;
  return `${target}${target.includes('?') ? '&' : '?'}${query}${fragment}`;
}

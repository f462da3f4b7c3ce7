/**
 * The Content-Encoding to store: without `aws-chunked`, which is framing of the request and not of the object.
 * Undefined when nothing is left.
 */
export function storedContentEncoding(header: string): string | undefined {
  const codings = header.split(',').map((coding) => coding.trim());
  const kept = codings.filter((coding) => coding !== '' && coding.toLowerCase() !== 'aws-chunked');
  return kept.length === 0 ? undefined : kept.join(', ');
}

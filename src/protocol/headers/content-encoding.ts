/**
 * `Content-Encoding` as it is stored: `aws-chunked` describes the transfer, not the object.
 * @returns undefined when nothing else is left
 */
export function withoutAwsChunked(header: string | undefined): string | undefined {
  if (header === undefined || !header.toLowerCase().includes('aws-chunked')) return header;
  const kept = header
    .split(',')
    .map((token) => token.trim())
    .filter((token) => token !== '' && token.toLowerCase() !== 'aws-chunked');
  return kept.length === 0 ? undefined : kept.join(', ');
}

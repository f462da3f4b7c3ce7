/** A key as S3 writes it into events and inventory reports: encoded as forms encode, but for slashes. */
export function formEncodedKey(key: string): string {
  return encodeURIComponent(key.toWellFormed())
    .replaceAll('%2F', '/')
    .replaceAll('%20', '+')
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** More than an MD5 has, so that a longer value shows. */
const DIGEST = Buffer.alloc(24);

/** The services write an MD5 in base64, the port in hex. @returns undefined for what is no MD5 */
export function md5ToHex(base64: string): string | undefined {
  return DIGEST.write(base64, 'base64') === 16 ? DIGEST.toString('hex', 0, 16) : undefined;
}

export function md5ToBase64(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64');
}

import { invalidArgument, S3Error } from '../errors/s3-error.ts';

/** What `x-amz-content-sha256` says about the body. */
export type PayloadMode =
  | { readonly kind: 'hash' /** 64 lower-case hex digits. */; readonly sha256: string }
  | { readonly kind: 'unsigned' }
  | { readonly kind: 'streaming-signed' }
  | { readonly kind: 'streaming-signed-trailer' }
  | { readonly kind: 'streaming-unsigned-trailer' };

export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';
const HEADER = 'x-amz-content-sha256';
const SHA256_HEX = /^[0-9a-f]{64}$/;

const MODES: ReadonlyMap<string, PayloadMode> = new Map<string, PayloadMode>([
  [UNSIGNED_PAYLOAD, { kind: 'unsigned' }],
  ['STREAMING-AWS4-HMAC-SHA256-PAYLOAD', { kind: 'streaming-signed' }],
  ['STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER', { kind: 'streaming-signed-trailer' }],
  ['STREAMING-UNSIGNED-PAYLOAD-TRAILER', { kind: 'streaming-unsigned-trailer' }],
]);

/** @throws S3Error InvalidArgument for an unknown value, NotImplemented for SigV4A streams */
export function parsePayloadMode(value: string): PayloadMode {
  if (SHA256_HEX.test(value)) {
    return { kind: 'hash', sha256: value };
  }
  const mode = MODES.get(value);
  if (mode !== undefined) {
    return mode;
  }
  if (value.startsWith('STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD')) {
    throw new S3Error('NotImplemented', { extra: { Header: HEADER, additionalMessage: value } });
  }
  throw invalidArgument(
    HEADER,
    value,
    `${HEADER} must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, STREAMING-AWS4-HMAC-SHA256-PAYLOAD, ` +
      'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER or a valid sha256 value.',
  );
}

/** True when the body comes in aws-chunked framing. */
export function isStreaming(mode: PayloadMode): boolean {
  return mode.kind !== 'hash' && mode.kind !== 'unsigned';
}

/**
 * For operations other than PutObject and UploadPart, once the operation is known.
 * @throws S3Error InvalidRequest when the body is declared as a stream of chunks
 */
export function refuseStreamingPayload(mode: PayloadMode): void {
  if (isStreaming(mode)) {
    throw new S3Error('InvalidRequest', { message: `The value of ${HEADER} header is invalid.` });
  }
}

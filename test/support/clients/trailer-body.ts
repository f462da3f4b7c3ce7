interface TrailerBody {
  readonly headers: Readonly<Record<string, string>>;
  readonly payloadHash: string;
  readonly body: string;
}

/**
 * A body in unsigned chunks with a checksum after it, and the headers that announce it; for `send`, which signs what it
 * is given.
 */
export function trailerBody(bytes: string, name: string, value: string): TrailerBody {
  return {
    headers: {
      'x-amz-trailer': name,
      'x-amz-decoded-content-length': String(Buffer.byteLength(bytes)),
      'content-encoding': 'aws-chunked',
    },
    payloadHash: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
    body: `${Buffer.byteLength(bytes).toString(16)}\r\n${bytes}\r\n0\r\n${name}:${value}\r\n\r\n`,
  };
}

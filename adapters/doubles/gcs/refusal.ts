/**
 * What the service refuses, in the shape of its error documents.
 * https://cloud.google.com/storage/docs/json_api/v1/status-codes
 */
export class Refusal extends Error {
  readonly status: number;
  readonly reason: string;
  /** `Code` of the XML API's documents (https://cloud.google.com/storage/docs/xml-api/reference-status). */
  readonly xmlCode: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    reason: string,
    message: string,
    more: { xmlCode?: string; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.reason = reason;
    this.xmlCode = more.xmlCode ?? reason;
    this.headers = more.headers ?? {};
  }

  json(): string {
    const { status: code, reason, message } = this;
    return JSON.stringify({ error: { code, message, errors: [{ message, domain: 'global', reason }] } });
  }

  xml(): string {
    return `<?xml version='1.0' encoding='UTF-8'?><Error><Code>${this.xmlCode}</Code><Message>${escapeXml(this.message)}</Message></Error>`;
  }
}

export function invalid(message: string): Refusal {
  return new Refusal(400, 'invalid', message, { xmlCode: 'InvalidArgument' });
}

export function conditionNotMet(): Refusal {
  return new Refusal(412, 'conditionNotMet', 'At least one of the pre-conditions you specified did not hold.', {
    xmlCode: 'PreconditionFailed',
  });
}

/** https://cloud.google.com/storage/docs/json_api/v1/status-codes#403-forbidden */
export function forbidden(bucket: string): Refusal {
  return new Refusal(
    403,
    'forbidden',
    `The caller does not have access to the bucket ${bucket}. Permission denied on resource (or it may not exist).`,
    { xmlCode: 'AccessDenied' },
  );
}

export function noSuchBucket(words = 'The specified bucket does not exist.'): Refusal {
  return new Refusal(404, 'notFound', words, { xmlCode: 'NoSuchBucket' });
}

export function noSuchObject(bucket: string, name: string): Refusal {
  return new Refusal(404, 'notFound', `No such object: ${bucket}/${name}`, { xmlCode: 'NoSuchKey' });
}

function escapeXml(text: string): string {
  return text.replace(/[<>&]/g, (found) => `&#${found.charCodeAt(0)};`);
}

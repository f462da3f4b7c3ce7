import { OtherRegions } from './other-regions.ts';

/** `<access key>/<yyyymmdd>/<region>/s3/aws4_request`, cut up. */
export interface CredentialScope {
  readonly accessKeyId: string;
  readonly date: string;
  readonly region: string;
  readonly service: string;
  readonly terminator: string;
  /** All but the access key, as it stands in the string to sign. */
  readonly text: string;
}

const SCOPE_DATE = /^\d{8}$/;

/** What is wrong with a credential, in AWS's words, and the region to name in the answer if that is it. */
export interface ScopeFault {
  readonly message: string;
  readonly region?: string;
}

/** Undefined unless there are five parts, of which one looks like a date. Access keys may contain a `/`. */
export function parseCredential(credential: string): CredentialScope | undefined {
  const atTerminator = credential.lastIndexOf('/');
  const atService = slashBefore(credential, atTerminator);
  const atRegion = slashBefore(credential, atService);
  const atDate = slashBefore(credential, atRegion);
  if (atDate <= 0) {
    return undefined;
  }
  const date = credential.slice(atDate + 1, atRegion);
  if (!SCOPE_DATE.test(date)) {
    return undefined;
  }
  return {
    accessKeyId: credential.slice(0, atDate),
    date,
    region: credential.slice(atRegion + 1, atService),
    service: credential.slice(atService + 1, atTerminator),
    terminator: credential.slice(atTerminator + 1),
    text: credential.slice(atDate + 1),
  };
}

/** -1: there is none. */
function slashBefore(text: string, at: number): number {
  return at <= 0 ? -1 : text.lastIndexOf('/', at - 1);
}

export const MALFORMED_CREDENTIAL: ScopeFault = {
  message: 'the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".',
};

/** The region signatures are for, and whether others will do. */
export interface ScopeRules {
  readonly region: string;
  readonly otherRegions?: OtherRegions;
  /** Default S3. */
  readonly service?: { readonly name: string; readonly regions: readonly string[] };
}

/** Checks what does not depend on the request's date. */
export function scopeFault(
  scope: CredentialScope,
  { region, otherRegions, service }: ScopeRules,
): ScopeFault | undefined {
  const { name = 's3', regions = [] } = service ?? {};
  const isOther = regions.includes(scope.region) || (otherRegions !== undefined && OtherRegions.isRegion(scope.region));
  if (scope.region !== region && !isOther) {
    return { message: `the region '${scope.region}' is wrong; expecting '${region}'`, region };
  }
  if (scope.service !== name) {
    return { message: `incorrect service "${scope.service}". This endpoint belongs to "${name}".` };
  }
  if (scope.terminator !== 'aws4_request') {
    return { message: `incorrect terminal "${scope.terminator}". This endpoint uses "aws4_request".` };
  }
  return undefined;
}

export function scopeDateFault(scope: CredentialScope, amzDate: string): ScopeFault | undefined {
  if (amzDate.startsWith(scope.date)) {
    return undefined;
  }
  return {
    message: `Invalid credential date "${scope.date}". This date is not the same as X-Amz-Date: "${amzDate.slice(0, 8)}".`,
  };
}

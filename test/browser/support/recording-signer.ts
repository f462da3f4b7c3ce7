import { SignatureV4 } from '@smithy/signature-v4';

/** The SDK's own signer, which remembers what it signed last: what a person would find in their client's log. */
export class RecordingSigner extends SignatureV4 {
  canonicalRequest = '';
  stringToSign = '';

  protected override createCanonicalRequest(...args: Parameters<SignatureV4['createCanonicalRequest']>): string {
    this.canonicalRequest = super.createCanonicalRequest(...args);
    return this.canonicalRequest;
  }

  protected override async createStringToSign(...args: Parameters<SignatureV4['createStringToSign']>): Promise<string> {
    this.stringToSign = await super.createStringToSign(...args);
    return this.stringToSign;
  }
}

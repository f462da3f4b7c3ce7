/** The messages of `v1alpha1.proto` as they are loaded: fields in camel case, enumerations by name. */
export interface CosiMessages {
  readonly DriverGetInfo: { readonly request: object; readonly answer: { readonly name: string } };
  readonly DriverCreateBucket: {
    readonly request: DriverCreateBucketRequest;
    readonly answer: DriverCreateBucketResponse;
  };
  readonly DriverDeleteBucket: { readonly request: { readonly bucketId: string }; readonly answer: object };
  readonly DriverGrantBucketAccess: {
    readonly request: DriverGrantBucketAccessRequest;
    readonly answer: DriverGrantBucketAccessResponse;
  };
  readonly DriverRevokeBucketAccess: { readonly request: DriverRevokeBucketAccessRequest; readonly answer: object };
}

export type CosiMethod = keyof CosiMessages;

/** Parameters of a BucketClass or a BucketAccessClass. Absent fields arrive as empty texts and maps. */
export type ClassParameters = Readonly<Record<string, string>>;

export interface DriverCreateBucketRequest {
  readonly name: string;
  readonly parameters: ClassParameters;
}

export interface DriverCreateBucketResponse {
  readonly bucketId: string;
  readonly bucketInfo: { readonly s3: { readonly region: string; readonly signatureVersion: 'S3V4' } };
}

export interface DriverGrantBucketAccessRequest {
  readonly bucketId: string;
  readonly name: string;
  readonly authenticationType: 'UnknownAuthenticationType' | 'Key' | 'IAM';
  readonly parameters: ClassParameters;
}

export interface DriverGrantBucketAccessResponse {
  readonly accountId: string;
  /** The sidecar takes exactly one protocol, and these names. */
  readonly credentials: { readonly s3: { readonly secrets: S3Credentials } };
}

/** Becomes `spec.secretS3` of the `BucketInfo` that a pod mounts. */
interface S3Credentials {
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyID: string;
  readonly accessSecretKey: string;
}

export interface DriverRevokeBucketAccessRequest {
  readonly bucketId: string;
  readonly accountId: string;
}

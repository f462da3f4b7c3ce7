import { S3Error, notOffered } from '../../../errors/s3-error.ts';
import type { S3Request } from '../../../protocol/request.ts';
import type { OperationName } from '../../../protocol/operation-table.ts';
import { CONFIGURATION_LIST_FIELDS } from '../../../protocol/xml/unset-shapes.ts';
import { xml } from '../../../protocol/xml/document.ts';
import type { Operation } from '../../operation.ts';
import { elementsOf, type ForeignDocument } from './not-offered.ts';

const CONTINUATION = 'continuation-token';

/** Lists configurations of which a bucket may have many on AWS and has none here. */
function emptyList(root: string): Operation {
  return async (request) => {
    const token = request.query.get(CONTINUATION);
    // The list is never truncated, so no answer has given out a token.
    if (token !== undefined && token !== '') throw wrongToken();
    return { status: 200, body: xml({ root, content: CONFIGURATION_LIST_FIELDS }, { IsTruncated: false }) };
  };
}

export function wrongToken(): S3Error {
  return new S3Error('InvalidArgument', {
    message: 'The continuation token provided is incorrect',
    extra: { ArgumentName: CONTINUATION },
  });
}

/** The id of a configuration that a request names. @throws S3Error InvalidArgument: none */
export function requiredId({ query }: Pick<S3Request, 'query'>): string {
  const id = query.get('id') ?? '';
  if (id !== '') return id;
  throw new S3Error('InvalidArgument', {
    message: 'Missing required parameter: id',
    extra: { ArgumentName: 'id' },
  });
}

/** Refuses to set one of them. @throws S3Error InvalidArgument (no `id`), MalformedXML, NotImplemented */
function refusedOne(what: string, document: ForeignDocument): Operation {
  return async (request) => {
    requiredId(request);
    if (!(await elementsOf(request, document)).includes('Id')) throw new S3Error('MalformedXML');
    throw notOffered(what);
  };
}

const ANALYTICS = { root: 'AnalyticsConfiguration', children: ['Id', 'Filter', 'StorageClassAnalysis'] };
const METRICS = { root: 'MetricsConfiguration', children: ['Id', 'Filter'] };
const TIERING = { root: 'IntelligentTieringConfiguration', children: ['Id', 'Filter', 'Status', 'Tiering'] };

/** The root elements have the names that AWS gives them, which follow no pattern. */
export const CONFIGURATION_LISTS = {
  ListBucketAnalyticsConfigurations: emptyList('ListBucketAnalyticsConfigurationResult'),
  PutBucketAnalyticsConfiguration: refusedOne('Storage class analysis', ANALYTICS),
  ListBucketMetricsConfigurations: emptyList('ListMetricsConfigurationsResult'),
  PutBucketMetricsConfiguration: refusedOne('Metrics of requests by filter', METRICS),
  ListBucketIntelligentTieringConfigurations: emptyList('ListBucketIntelligentTieringConfigurationsOutput'),
  PutBucketIntelligentTieringConfiguration: refusedOne('Archiving by access', TIERING),
} as const satisfies Readonly<Partial<Record<OperationName, Operation>>>;

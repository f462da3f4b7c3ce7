import { S3Error } from '../../../errors/s3-error.ts';
import type { OperationName } from '../../../protocol/operation-table.ts';
import { CONFIGURATION_LIST_FIELDS } from '../../../protocol/xml/unset-shapes.ts';
import { xml } from '../../../protocol/xml/document.ts';
import type { Operation } from '../../operation.ts';
import { elementsOf, type ForeignDocument, notOffered } from './not-offered.ts';

const CONTINUATION = 'continuation-token';

/** Lists configurations of which a bucket may have many on AWS and has none here. */
function emptyList(root: string): Operation {
  return async (request) => {
    const token = request.query.get(CONTINUATION);
    // The list is never truncated, so no answer has given out a token.
    if (token !== undefined && token !== '') {
      throw new S3Error('InvalidArgument', {
        message: 'The continuation token provided is incorrect',
        extra: { ArgumentName: CONTINUATION },
      });
    }
    return { status: 200, body: xml({ root, content: CONFIGURATION_LIST_FIELDS }, { IsTruncated: false }) };
  };
}

/** Refuses to set one of them. @throws S3Error InvalidArgument (no `id`), MalformedXML, NotImplemented */
function refusedOne(what: string, document: ForeignDocument): Operation {
  return async (request) => {
    if ((request.query.get('id') ?? '') === '') {
      throw new S3Error('InvalidArgument', {
        message: 'Missing required parameter: id',
        extra: { ArgumentName: 'id' },
      });
    }
    if (!(await elementsOf(request, document)).includes('Id')) throw new S3Error('MalformedXML');
    throw notOffered(what);
  };
}

const ANALYTICS = { root: 'AnalyticsConfiguration', children: ['Id', 'Filter', 'StorageClassAnalysis'] };
const METRICS = { root: 'MetricsConfiguration', children: ['Id', 'Filter'] };
const INVENTORY = {
  root: 'InventoryConfiguration',
  children: ['Destination', 'IsEnabled', 'Filter', 'Id', 'IncludedObjectVersions', 'OptionalFields', 'Schedule'],
};
const TIERING = { root: 'IntelligentTieringConfiguration', children: ['Id', 'Filter', 'Status', 'Tiering'] };

/** The root elements have the names that AWS gives them, which follow no pattern. */
export const CONFIGURATION_LISTS = {
  ListBucketAnalyticsConfigurations: emptyList('ListBucketAnalyticsConfigurationResult'),
  PutBucketAnalyticsConfiguration: refusedOne('Storage class analysis', ANALYTICS),
  ListBucketMetricsConfigurations: emptyList('ListMetricsConfigurationsResult'),
  PutBucketMetricsConfiguration: refusedOne('Metrics of requests by filter', METRICS),
  ListBucketInventoryConfigurations: emptyList('ListInventoryConfigurationsResult'),
  PutBucketInventoryConfiguration: refusedOne('Inventory', INVENTORY),
  ListBucketIntelligentTieringConfigurations: emptyList('ListBucketIntelligentTieringConfigurationsOutput'),
  PutBucketIntelligentTieringConfiguration: refusedOne('Archiving by access', TIERING),
} as const satisfies Readonly<Partial<Record<OperationName, Operation>>>;

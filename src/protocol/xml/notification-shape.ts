import { text } from './shape-parts.ts';
import type { XmlContent, XmlShape } from './shape.ts';

const FILTER = {
  kind: 'struct',
  fields: [
    {
      element: 'S3Key',
      content: {
        kind: 'struct',
        fields: [
          {
            element: 'FilterRule',
            property: 'rules',
            list: {},
            content: {
              kind: 'struct',
              fields: [
                { element: 'Name', content: text, required: true },
                { element: 'Value', content: text, required: true },
              ],
            },
          },
        ],
      },
    },
  ],
} as const satisfies XmlContent;

const COMMON = [
  { element: 'Id', content: text },
  { element: 'Event', property: 'events', list: {}, required: true, content: text },
  { element: 'Filter', content: FILTER },
] as const;

/** Body of Put- and GetBucketNotificationConfiguration. */
export const NOTIFICATION_CONFIGURATION = {
  root: 'NotificationConfiguration',
  content: {
    kind: 'struct',
    fields: [
      {
        element: 'TopicConfiguration',
        property: 'topics',
        list: {},
        content: { kind: 'struct', fields: [...COMMON, { element: 'Topic', content: text, required: true }] },
      },
      {
        element: 'QueueConfiguration',
        property: 'queues',
        list: {},
        content: { kind: 'struct', fields: [...COMMON, { element: 'Queue', content: text, required: true }] },
      },
      {
        element: 'CloudFunctionConfiguration',
        property: 'functions',
        list: {},
        content: { kind: 'struct', fields: [...COMMON, { element: 'CloudFunction', content: text, required: true }] },
      },
      { element: 'EventBridgeConfiguration', property: 'eventBridge', content: { kind: 'struct', fields: [] } },
    ],
  },
} as const satisfies XmlShape;

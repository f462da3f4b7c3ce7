import { number, text } from './shape-parts.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_RestoreObject.html, without queries of what is restored. */
export const RESTORE_REQUEST = {
  root: 'RestoreRequest',
  content: {
    kind: 'struct',
    fields: [
      { element: 'Days', content: number },
      {
        element: 'GlacierJobParameters',
        content: { kind: 'struct', fields: [{ element: 'Tier', content: text, required: true }] },
      },
      { element: 'Type', content: text },
      { element: 'Tier', content: text },
      { element: 'Description', content: text },
    ],
  },
} as const;

/** The script of a page that is not the gateway's; the test calls its functions by name. */
import { recordVideo, seekIn, watch } from './media.mjs';
import { ask, sendForm, showForm } from './requests.mjs';
import { uploadByUppy } from './uppy.mjs';

async function putVideo({ url }) {
  return ask({ url, method: 'PUT', body: await recordVideo(), shows: ['etag'] });
}

globalThis.page = { ask, putVideo, seekIn, sendForm, showForm, uploadByUppy, watch };

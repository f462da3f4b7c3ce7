const EVENT_MS = 15_000;

/** A second of video that the browser makes itself: a canvas that changes. */
export async function recordVideo() {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width: 64, height: 48 });
  const pen = canvas.getContext('2d');
  let hue = 0;
  const painting = setInterval(() => {
    pen.fillStyle = `hsl(${(hue += 20)} 100% 50%)`;
    pen.fillRect(0, 0, canvas.width, canvas.height);
  }, 40);
  const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: 'video/webm' });
  const pieces = [];
  recorder.ondataavailable = ({ data }) => pieces.push(data);
  recorder.start();
  await new Promise((done) => setTimeout(done, 1000));
  recorder.stop();
  await happens(recorder, 'stop');
  clearInterval(painting);
  return new Blob(pieces, { type: 'video/webm' });
}

/** Plays what is at the URL, and looks at a picture of it, which a browser allows where CORS does. */
export async function watch(url) {
  const video = player(url);
  try {
    await happens(video, 'loadeddata');
    const canvas = document.createElement('canvas');
    const pen = canvas.getContext('2d');
    pen.drawImage(video, 0, 0);
    pen.getImageData(0, 0, 1, 1);
    return `watched ${video.videoWidth}x${video.videoHeight}`;
  } catch (error) {
    return `refused: ${error.message}`;
  } finally {
    video.removeAttribute('src');
    video.load();
  }
}

/** Goes to a second of a recording. */
export async function seekIn({ url, second }) {
  const video = player(url);
  try {
    await happens(video, 'loadedmetadata');
    video.currentTime = second;
    await happens(video, 'seeked');
    return `at ${video.currentTime} of ${video.duration}`;
  } catch (error) {
    return `refused: ${error.message}`;
  } finally {
    video.removeAttribute('src');
    video.load();
  }
}

function player(url) {
  const video = document.createElement('video');
  Object.assign(video, { crossOrigin: 'anonymous', muted: true, preload: 'auto', src: url });
  return video;
}

/** Resolves when the event comes; fails when the element gives up. */
function happens(target, event) {
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(`no ${event}`)), EVENT_MS);
    target.addEventListener(event, resolve, { once: true });
    target.addEventListener('error', () => reject(new Error(target.error?.message ?? 'error')), { once: true });
  });
}

/** Sends files: photos, maps and histories. */
import { becameOnline, Offline, outbox, Refused } from './rpc.js';

/**
 * Uploads a photo, and reports the sent part, from 0 to 1, to `progress`. Without a connection, the photo of a plan, a
 * location, a sight or a post waits on this phone.
 *
 * @param {string} subject
 * @param {Blob} file
 * @param {string} caption
 * @param {(part: number) => void} [progress]
 * @returns {Promise<any>}
 */
export async function upload(subject, file, caption, progress) {
  const kept = /^(plan|location|sight|post)\//.test(subject) ? await outbox() : null;
  return kept ? kept.addPhoto(subject, file, caption, progress) : uploadNow(subject, file, caption, progress);
}

/**
 * Uploads a photo that does not wait; `once` is as for `callNow`.
 * @param {string} subject
 * @param {Blob} file
 * @param {string} caption
 * @param {((part: number) => void) | undefined} progress
 */
export function uploadNow(subject, file, caption, progress, once = '') {
  const query = new URLSearchParams({ subject, ...(caption ? { caption } : {}), ...(once ? { once } : {}) });
  return sendFile(`/photos?${query}`, file, file.type || 'application/octet-stream', progress);
}

/**
 * Uploads a file of map tiles, as `upload` does a photo.
 *
 * @param {string} name the name of the map
 * @param {Blob} file
 * @param {(part: number) => void} [progress]
 * @returns {Promise<any>}
 */
export const uploadMap = (name, file, progress) =>
  sendFile(`/maps/${encodeURIComponent(name)}`, file, 'application/octet-stream', progress);

/**
 * Sends a file, and returns the answer. If `signal` aborts, it stops sending.
 *
 * @param {string} address
 * @param {Blob} file
 * @param {string} type
 * @param {(part: number) => void} [progress]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export function sendFile(address, file, type, progress, signal) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    signal?.addEventListener('abort', () => request.abort());
    request.onabort = () => reject(signal?.reason);
    request.open('POST', address);
    request.setRequestHeader('Content-Type', type);
    request.upload.onprogress = (event) => progress?.(event.loaded / event.total);
    request.onerror = () => { becameOnline(false); reject(new Offline('offline')); };
    request.onload = () => {
      let answer;
      try { answer = JSON.parse(request.responseText); } catch { answer = {}; }
      // A server in between answers for the daemon, which would say why.
      if (!answer.error && request.status >= 502 && request.status <= 504) {
        becameOnline(false);
        return reject(new Offline('offline'));
      }
      becameOnline(true);
      if (request.status < 300) resolve(answer);
      else {
        const message = request.responseText || request.statusText;
        reject(new Refused(answer.error ?? { code: -request.status, message }));
      }
    };
    request.send(file);
  });
}

/** What is heard when a sight comes near: nothing at first, a tone or a voice if somebody has chosen it here. */
import { locale } from '../texts.js';

export const SOUNDS = ['off', 'tone', 'speech'];
/** The notes of the tone in hertz, and the seconds of each. */
const [NOTES, LENGTH] = [[659, 880], 0.16];

/** The sound that this browser has chosen. */
export const chosenSound = () => SOUNDS.find((one) => one === localStorage.getItem('near.sound')) ?? 'off';

/** Chooses the sound of this browser.
 * @param {string} sound */
export const chooseSound = (sound) => localStorage.setItem('near.sound', sound);

/**
 * Plays the chosen sound. A browser allows it once somebody has touched the page.
 * @param {string} words what a voice says
 */
export function announce(words) {
  const sound = chosenSound();
  if (sound === 'off' || !isAllowed()) return;
  if (sound === 'tone') return play();
  const spoken = new SpeechSynthesisUtterance(words);
  spoken.lang = locale;
  speechSynthesis.cancel();
  speechSynthesis.speak(spoken);
}

const isAllowed = () => /** @type {any} */ (navigator).userActivation?.hasBeenActive !== false;

function play() {
  const audio = new AudioContext();
  const volume = audio.createGain();
  volume.connect(audio.destination);
  const end = audio.currentTime + NOTES.length * LENGTH;
  volume.gain.setValueAtTime(0.2, audio.currentTime);
  volume.gain.linearRampToValueAtTime(0, end);
  NOTES.forEach((note, n) => {
    const tone = new OscillatorNode(audio, { frequency: note });
    tone.connect(volume);
    tone.start(audio.currentTime + n * LENGTH);
    tone.stop(audio.currentTime + (n + 1) * LENGTH);
  });
  setTimeout(() => audio.close(), 1000);
}

import type { CaptchaAct, captchaChallenge } from '#contract/accounts.ts';
import type { OutputOf } from '#contract/base/act.ts';

/** `asking`: a widget waits for the person. */
export type CaptchaState = 'idle' | 'working' | 'asking' | 'done' | 'failed';

export type CaptchaTask = OutputOf<typeof captchaChallenge>;

export type CaptchaRequest = {
  purpose: CaptchaAct;
  /** Empty, for a widget. */
  container: HTMLElement;
  /** `asking` while the person has to do something; `idle` when a solved one has expired. */
  setState: (state: CaptchaState) => void;
  /** The share of the largest amount of work that is done, 0 to 1. */
  setProgress: (share: number) => void;
};

/** One provider in the browser: the answer to its task, as the server takes it. */
export type Solver = (task: CaptchaTask, request: CaptchaRequest) => Promise<string>;

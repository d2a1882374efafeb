import type { CaptchaAct, captchaChallenge } from '#contract/accounts.ts';
import type { OutputOf } from '#contract/base/act.ts';

/** `asking`: a widget waits for the person. */
export type CaptchaState = 'idle' | 'working' | 'asking' | 'done' | 'failed';

export type CaptchaTask = OutputOf<typeof captchaChallenge>;

export type CaptchaRequest = {
  purpose: CaptchaAct;
  container: HTMLElement;
  /** `asking` while the person has to act; `idle` when a solution has expired. */
  setState: (state: CaptchaState) => void;
  /** The completed share of the maximum amount of work, 0 to 1. */
  setProgress: (share: number) => void;
};

export type Solver = (task: CaptchaTask, request: CaptchaRequest) => Promise<string>;

import type { InputFor, OutputOf } from '#contract/base/act.ts';
import type {
  Broadcast,
  BroadcastAudience,
  broadcastAudiences,
  createBroadcast,
} from '#contract/operator/broadcasts.ts';
import type { BroadcastTone } from '#contract/operator/broadcasts.ts';
import { instantOf, momentAt } from '#web/features/operator/form/moment.ts';

/** The fields of a broadcast as typed; times as `momentAt` writes them. */
export type Typed = {
  title: string;
  text: string;
  tone: string;
  audience: string;
  plan: string;
  from: string;
  until: string;
  by_push: boolean;
  by_message: boolean;
};

export const typedFrom = (broadcast: Broadcast | undefined): Typed => ({
  title: broadcast?.title ?? '',
  text: broadcast?.text ?? '',
  tone: broadcast?.tone ?? 'info',
  audience: broadcast?.audience ?? 'all',
  plan: broadcast?.plan ?? '',
  from: broadcast ? momentAt(broadcast.from) : '',
  until: broadcast ? momentAt(broadcast.until) : '',
  by_push: broadcast?.by_push ?? false,
  by_message: broadcast?.by_message ?? false,
});

export function inputOf(typed: Typed): InputFor<typeof createBroadcast> {
  const from = instantOf(typed.from);
  return {
    title: typed.title,
    text: typed.text,
    tone: typed.tone as BroadcastTone,
    audience: typed.audience as BroadcastAudience,
    ...(typed.audience === 'plan' && { plan: typed.plan }),
    ...(from !== undefined && { from }),
    until: instantOf(typed.until) ?? '',
    by_push: typed.by_push ? 'yes' : 'no',
    by_message: typed.by_message ? 'yes' : 'no',
  };
}

export function peopleOf(
  { audience, plan }: Pick<Typed, 'audience' | 'plan'>,
  counted: OutputOf<typeof broadcastAudiences> | undefined,
): number {
  if (audience === 'plan') return counted?.plans.find(({ code }) => code === plan)?.people ?? 0;
  return (audience === 'linked' ? counted?.linked : counted?.all) ?? 0;
}

import { formatDateTime } from '#contract/base/time.ts';
import type { ChannelName, Token, TokenStatus } from '#contract/tokens.ts';
import type { Tone } from '#web/ui/status/StatusChip.tsx';

export const channelLabel: Record<ChannelName, string> = {
  simulator: 'Simulator',
  cloud: 'WhatsApp Cloud API',
  web: 'WhatsApp Web',
};

export const statusTone: Record<TokenStatus, Tone> = {
  unlinked: 'neutral',
  linking: 'info',
  linked: 'success',
  disconnected: 'danger',
  suspended: 'warning',
};

const happened: Record<NonNullable<Token['review']>['cause'], string> = {
  password_reset: 'Kata sandi akun ini diganti dengan kode',
  phone_changed: 'Nomor akun ini diganti',
};

export const reviewSentence = (
  { cause, since }: NonNullable<Token['review']>,
  zone: string,
): string =>
  `${happened[cause]} pada ${formatDateTime(since, zone)}. Pastikan token ini masih Anda kenal.`;

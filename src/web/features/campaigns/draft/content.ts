import { Latitude, Longitude } from '#contract/messages/sending.ts';
import type { CampaignContent, CampaignContentInput, Campaign } from '#contract/campaigns.ts';
import { instantOfLocal, localDateTime } from '#web/ui/time/time.ts';

export type DraftValues = {
  type: string;
  text: string;
  caption: string;
  /** The upload of a new file; '' keeps the draft's own. */
  upload: string;
  /** A template's name and language, as `pesanan_siap:id`. */
  template: string;
  variables: readonly string[];
  latitude: string;
  longitude: string;
  place: string;
  address: string;
  when: string;
  at: string;
  pace: string;
};

export function draftValues({ content, starts_at, pace }: Campaign, zone: string): DraftValues {
  const is = <T extends CampaignContent['type']>(type: T) =>
    content?.type === type ? (content as Extract<CampaignContent, { type: T }>) : undefined;
  const template = is('template');
  const location = is('location');
  return {
    type: content?.type ?? 'text',
    text: is('text')?.text ?? '',
    caption: is('file')?.caption ?? '',
    upload: '',
    template: template ? `${template.name}:${template.language}` : '',
    variables: template?.variables ?? [],
    latitude: location ? String(location.latitude) : '',
    longitude: location ? String(location.longitude) : '',
    place: location?.name ?? '',
    address: location?.address ?? '',
    when: starts_at === null ? 'now' : 'later',
    at: starts_at === null ? '' : localDateTime(starts_at, zone),
    pace: pace === null ? '' : String(pace),
  };
}

/** Degrees as typed; NaN if invalid. */
const degreesIn = (side: ReturnType<typeof Latitude>, written: string): number =>
  side.safeParse(written.trim()).data ?? Number.NaN;

/** The location in the fields; NaN if invalid. */
export const placeIn = ({ latitude, longitude }: DraftValues) => ({
  latitude: degreesIn(Latitude(), latitude),
  longitude: degreesIn(Longitude(), longitude),
});

export function contentOf(values: DraftValues): CampaignContentInput {
  const { type, text, caption, upload, template, variables } = values;
  switch (type) {
    case 'file':
      return { type, caption, ...(upload === '' ? { keep: true } : { upload }) };
    case 'location': {
      const { place, address } = values;
      return {
        type,
        ...placeIn(values),
        ...(place.trim() !== '' && { name: place.trim() }),
        ...(address.trim() !== '' && { address: address.trim() }),
      };
    }
    case 'template': {
      const [name = '', language = ''] = template.split(':');
      return { type, name, language, variables: [...variables] };
    }
    default:
      return { type: 'text', text };
  }
}

/** The field that shows the server's errors about the content as a whole. */
export const contentField = ({ type }: DraftValues): keyof DraftValues =>
  type === 'file' ? 'caption' : type === 'template' ? 'variables' : 'text';

export function draftErrors(
  values: DraftValues,
  { campaign, zone, now }: { campaign: Campaign; zone: string; now: Date },
): Partial<Record<keyof DraftValues, string>> {
  const at = instantOfLocal(values.at, zone);
  return {
    ...contentErrors(values, campaign),
    ...(values.when === 'later' && !at && { at: 'Pilih tanggal dan jam mulainya.' }),
    ...(values.when === 'later' && at && at <= now && { at: 'Pilih waktu yang akan datang.' }),
    ...(values.pace !== '' &&
      !/^[1-9]\d{0,3}$/.test(values.pace) && { pace: 'Tulis angka 1 sampai 6.000.' }),
  };
}

function contentErrors(values: DraftValues, { content }: Campaign) {
  switch (values.type) {
    case 'file':
      return values.upload === '' && content?.type !== 'file' ? { upload: 'Pilih berkasnya.' } : {};
    case 'template':
      return {
        ...(values.template === '' && { template: 'Pilih templatnya.' }),
        ...(values.variables.some((one) => one.trim() === '') && {
          variables: 'Isi setiap variabel.',
        }),
      };
    case 'location': {
      const { latitude, longitude } = placeIn(values);
      return {
        ...(Number.isNaN(latitude) && { latitude: 'Tulis lintang, misalnya -6.9147.' }),
        ...(Number.isNaN(longitude) && { longitude: 'Tulis bujur, misalnya 107.6098.' }),
      };
    }
    default:
      return values.text.trim() === '' ? { text: 'Tulis isi pesannya.' } : {};
  }
}

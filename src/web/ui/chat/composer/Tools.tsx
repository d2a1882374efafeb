import { Camera, ContactRound, FileText, Image, Plus, type LucideIcon } from 'lucide-react';
import styles from '#web/ui/chat/composer/composer.module.css';
import { classes } from '#web/ui/classes.ts';
import { Disclosure } from '#web/ui/disclosure/Disclosure.tsx';

export type Tool = { icon: LucideIcon; name: string; onOpen: () => void };

const PICTURES = { name: 'Gambar', accept: 'image/jpeg,image/png,image/webp' };

type Props = {
  documents: string | undefined;
  pictures: { name: string; accept: string } | undefined;
  more: readonly Tool[] | undefined;
  onChoose: (files: readonly File[]) => void;
};

/** The tools behind the + button: file inputs that cover their tool, and buttons that open forms. */
export const Tools = ({ documents, pictures = PICTURES, more, onChoose }: Props) => (
  <Disclosure
    label="Lampiran"
    icon={<Plus size={20} />}
    className="relative"
    toggleClass={'place-center flex-none size-44 rounded-full muted hover'}
    contentClass={classes('grid', styles['options'])}
  >
    {(close) => {
      const choose = (files: readonly File[]) => {
        close();
        onChoose(files);
      };
      return (
        <>
          <FileTool icon={Image} {...pictures} multiple onChoose={choose} />
          <FileTool icon={Camera} name="Kamera" accept="image/*" capture onChoose={choose} />
          <FileTool icon={FileText} name="Dokumen" accept={documents} multiple onChoose={choose} />
          {more ? (
            more.map(({ icon: Icon, name, onOpen }) => (
              <button
                key={name}
                type="button"
                className={classes(
                  'row gap-10 pointer min-h-44 px-10 rounded relative hover ring-within',
                  styles['tool'],
                )}
                onClick={() => {
                  // Restores the focus to the button that opened the tools.
                  close({ focus: true });
                  onOpen();
                }}
              >
                <Icon size={20} aria-hidden="true" />
                {name}
              </button>
            ))
          ) : (
            <FileTool
              icon={ContactRound}
              name="Kontak"
              accept=".vcf,text/vcard"
              onChoose={choose}
            />
          )}
        </>
      );
    }}
  </Disclosure>
);

type FileToolProps = {
  icon: LucideIcon;
  name: string;
  accept: string | undefined;
  multiple?: boolean;
  /** Phones open the rear camera. */
  capture?: boolean;
  onChoose: (files: readonly File[]) => void;
};

const FileTool = ({ icon: Icon, name, accept, multiple, capture, onChoose }: FileToolProps) => (
  <label
    className={classes(
      'row gap-10 pointer min-h-44 px-10 rounded relative hover ring-within',
      styles['tool'],
    )}
  >
    <Icon size={20} aria-hidden="true" />
    {name}
    <input
      type="file"
      className="cover"
      accept={accept}
      multiple={multiple}
      capture={capture ? 'environment' : undefined}
      onChange={({ target }) => {
        const files = [...(target.files ?? [])];
        // Allows the same file to be selected again.
        target.value = '';
        if (files.length > 0) onChoose(files);
      }}
    />
  </label>
);

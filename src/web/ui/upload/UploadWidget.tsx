import { CloudUpload } from 'lucide-react';
import {
  useEffect,
  useLayoutEffect,
  useId,
  useImperativeHandle,
  useRef,
  useState,
  type InputHTMLAttributes,
  type RefObject,
} from 'react';
import { pendingUploadsFor } from '#web/api/uploads/pendingUploads.ts';
import type { Uploads } from '#web/ui/upload/queue/uploadQueue.ts';
import { Field, type FieldLinks } from '#web/ui/form/Field.tsx';
import { FileItem, FileList } from '#web/ui/upload/FileItem.tsx';
import type { FileUploadProps } from '#web/ui/upload/uploadProps.ts';
import styles from '#web/ui/upload/upload.module.css';
import { classes } from '#web/ui/classes.ts';
import { admission, isIgnored } from '#web/ui/upload/drop/uploadsAdmission.ts';
import { dropIndex } from '#web/ui/upload/reorder/reorder.ts';
import {
  buttonsOf,
  uploadedIds,
  type UploadAct,
  type UploadItem,
  type UploadState,
} from '#web/ui/upload/queue/uploadState.ts';
import { openDropZone, type DroppedData, type Point } from '#web/ui/upload/drop/dropZone.ts';
import { worded, type UploadLabels } from '#web/ui/upload/uploadLabels.ts';
import { ReorderHandle, useReorder } from '#web/ui/upload/reorder/UploadReorder.tsx';
import { acceptedOf, labelsOf, useUploads } from '#web/ui/upload/uploadStore.ts';

type Elements = Map<string, HTMLLIElement>;

/** The upload widget; loaded by `FileUpload`. */
export function UploadWidget(props: FileUploadProps) {
  const root = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [elements] = useState<Elements>(() => new Map());
  const attended = () => root.current?.contains(document.activeElement) === true;
  const { uploads, voice, said, state } = useUploads(props, attended);
  const [tooMany, setTooMany] = useState(false);
  const labels = labelsOf(props);

  const take = ({ files, links }: DroppedData, at?: number) => {
    const taken = files.filter(({ name }) => !isIgnored(name));
    const adding = taken.length + links.length;
    if (adding === 0) return;
    const { items } = uploads.state();
    const verdict = admission({
      present: items.length,
      adding,
      multiple: props.multiple ?? false,
      maxFiles: props.maxFiles,
      allowReplace: props.allowReplace ?? true,
    });
    setTooMany(verdict === 'too-many');
    if (verdict === 'too-many') return;
    if (verdict === 'replace') for (const { key } of items) uploads.remove(key);
    const place = at ?? (props.itemInsertLocation === 'after' ? items.length : 0);
    uploads.add(taken, place);
    uploads.addLinks(links, place + taken.length);
  };

  const over = useDropZone({ props, root, elements, state, take });
  useImperativeHandle(props.ref, () => ({
    browse: () => input.current?.click(),
    // One by one, as with FilePond: files beyond the limit are left out, the earlier ones stay.
    add: (files) => {
      for (const file of files) take({ files: [file], links: [] });
    },
  }));
  useValidity(input, props, state, labels);

  return (
    <div
      ref={root}
      className={classes('stack gap-8 min-w-0', styles['upload'])}
      data-over={over.active || undefined}
    >
      <Field
        label={props.label}
        help={props.help}
        error={props.error ?? (tooMany ? labels.maxFiles : undefined)}
        required={props.required ?? false}
        hideLabel={props.hideLabel ?? false}
      >
        {(links) => (
          <Zone
            links={links}
            input={input}
            props={props}
            labels={labels}
            onFiles={(files) => take({ files, links: [] })}
          />
        )}
      </Field>
      <Unfinished props={props} state={state} labels={labels} />
      <Items
        {...{ props, labels, uploads, state, elements, input }}
        gap={over.active ? over.at : undefined}
        announce={voice.announce}
      />
      <p role="status" className="sr-only">
        {said}
      </p>
    </div>
  );
}

type DropDeps = {
  props: FileUploadProps;
  root: RefObject<HTMLDivElement | null>;
  elements: Elements;
  state: UploadState;
  take: (dropped: DroppedData, at?: number) => void;
};

/** Whether something is dragged over the widget, and the item it would be inserted before. */
function useDropZone(deps: DropDeps): { active: boolean; at: number | undefined } {
  const [over, setOver] = useState<{ active: boolean; at: number | undefined }>({
    active: false,
    at: undefined,
  });
  const newest = useRef(deps);
  newest.current = deps;
  // Before paint, so that a drop or paste works from the first moment.
  useLayoutEffect(() => {
    const indexAt = (point: Point | undefined): number | undefined => {
      const { elements, state } = newest.current;
      if (!point || state.items.length === 0) return undefined;
      const boxes = state.items.flatMap(
        ({ key }) => elements.get(key)?.getBoundingClientRect() ?? [],
      );
      const first = boxes[0];
      const lastBox = boxes.at(-1);
      if (!first || !lastBox) return undefined;
      // Outside the list, files are inserted at the default position.
      if (point.y < first.top || point.y > lastBox.bottom) return undefined;
      return dropIndex(boxes, point.x, point.y);
    };
    return openDropZone({
      element: () => newest.current.root.current,
      open: () => !newest.current.props.disabled && (newest.current.props.allowDrop ?? true),
      wholePage: () => newest.current.props.dropOnPage ?? false,
      pastes: () => newest.current.props.allowPaste ?? true,
      over: (point) => {
        const next = { active: point !== undefined, at: indexAt(point) };
        setOver((old) => (old.active === next.active && old.at === next.at ? old : next));
      },
      take: (dropped, point) => newest.current.take(dropped, indexAt(point)),
    });
  }, []);
  return over;
}

type ZoneProps = {
  links: FieldLinks;
  input: RefObject<HTMLInputElement | null>;
  props: FileUploadProps;
  labels: UploadLabels;
  onFiles: (files: readonly File[]) => void;
};

function Zone({ links, input, props, labels, onFiles }: ZoneProps) {
  const { multiple = false, allowBrowse = true, disabled = false, capture } = props;
  const accepted = acceptedOf(props).join(',');
  const attributes: InputHTMLAttributes<HTMLInputElement> = {
    multiple,
    disabled: disabled || !allowBrowse,
    ...(accepted !== '' && { accept: accepted }),
    ...(capture !== undefined && { capture }),
  };
  return (
    <div
      className={classes('rounded-lg surface relative hover ring-within', styles['zone'])}
      data-disabled={disabled || undefined}
    >
      <input
        ref={input}
        type="file"
        className={classes('cover pointer-none', styles['input'])}
        aria-required={props.required || undefined}
        {...links}
        {...attributes}
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])];
          // Allows the same file to be selected again.
          currentTarget.value = '';
          onFiles(files);
        }}
      />
      <label
        htmlFor={links.id}
        className={classes('row justify-center gap-12 muted leading-ui pointer', styles['idle'])}
      >
        <CloudUpload size={22} className="faint" />
        <span>
          {labels.idle}{' '}
          <span className={classes('text-accent strong underline', styles['browse'])}>
            {labels.browse}
          </span>
        </span>
      </label>
    </div>
  );
}

/** Interrupted uploads, for example by a reload: they continue when the file is selected again. */
function Unfinished({ props, state, labels }: Pick<ListProps, 'props' | 'state' | 'labels'>) {
  const [earlier] = useState(() => pendingUploadsFor(props.purpose ?? ''));
  const open = earlier.filter(({ name }) => !state.items.some((item) => item.name === name));
  return open.map(({ transferId, name, size, offset }) => (
    <p key={transferId} className="small muted leading-ui">
      {worded(labels.unfinished, { name, percent: Math.floor((offset / size) * 100) })}
    </p>
  ));
}

type ListProps = {
  props: FileUploadProps;
  labels: UploadLabels;
  uploads: Uploads;
  state: UploadState;
  elements: Elements;
  input: RefObject<HTMLInputElement | null>;
  gap: number | undefined;
  announce: (text: string) => void;
};

function Items({ props, labels, uploads, state, elements, input, gap, announce }: ListProps) {
  const helpId = useId();
  const { disabled = false, instantUpload = true } = props;
  const movable = (props.allowReorder ?? false) && state.items.length > 1;
  const reorder = useReorder({
    items: state.items,
    elementOf: (key) => elements.get(key),
    announce,
    labels,
    onMove: (key, from, to) => {
      uploads.move(key, to);
      props.onReorder?.(uploadedIds(uploads.state()), from, to);
    },
  });
  useFocusRecovery(state, elements, input);
  const byKey = new Map(state.items.map((item) => [item.key, item]));
  const allowed = {
    process: props.allowProcess ?? true,
    revert: props.allowRevert ?? true,
    remove: props.allowRemove ?? true,
  };
  if (state.items.length === 0) return null;
  return (
    <>
      {movable && (
        <p id={helpId} hidden>
          {labels.handleHelp}
        </p>
      )}
      <FileList label={labels.list} gapAtEnd={gap === state.items.length}>
        {reorder.order.map((key, nth) => {
          const item = byKey.get(key);
          if (!item) return null;
          return (
            <FileItem
              key={key}
              ref={keepIn(elements, key)}
              item={item}
              labels={labels}
              acts={buttonsOf(item, allowed)}
              onAct={(act) => perform(uploads, item, act)}
              instant={instantUpload}
              sizeBase={props.sizeBase}
              disabled={disabled}
              gap={gap === nth}
              lifted={reorder.lifted?.key === key}
              shift={reorder.shiftOf(key)}
              onPointerDown={
                movable && !disabled ? (event) => reorder.onPointerDown(event, key) : undefined
              }
              handle={movable && <ReorderHandle {...{ item, reorder, labels, helpId, disabled }} />}
            />
          );
        })}
      </FileList>
    </>
  );
}

const keepIn = (elements: Elements, key: string) => (element: HTMLLIElement | null) => {
  if (element) elements.set(key, element);
  else elements.delete(key);
};

function perform(uploads: Uploads, { key }: UploadItem, act: UploadAct): void {
  if (act === 'remove') uploads.remove(key);
  else if (act === 'undo') uploads.revert(key);
  else if (act === 'abort-load' || act === 'abort-process') uploads.abort(key);
  else uploads.start(key);
}

/**
 * When a pressed button or its item disappears, moves the focus to the item, to its successor, or to the input. Never
 * to another button, which a second press would trigger.
 */
function useFocusRecovery(
  state: UploadState,
  elements: Elements,
  input: RefObject<HTMLInputElement | null>,
): void {
  const last = useRef<{ key: string; index: number }>(undefined);
  useEffect(() => {
    const note = ({ target }: FocusEvent) => {
      const index = state.items.findIndex(({ key }) =>
        elements.get(key)?.contains(target as Node | null),
      );
      const key = state.items[index]?.key;
      last.current = key === undefined ? undefined : { key, index };
    };
    // A press elsewhere moves the focus deliberately.
    const left = ({ target }: PointerEvent) => {
      const inside = [...elements.values()].some((one) => one.contains(target as Node | null));
      if (!inside) last.current = undefined;
    };
    document.addEventListener('focusin', note);
    document.addEventListener('pointerdown', left);
    const lost = document.activeElement === null || document.activeElement === document.body;
    if (lost && last.current) {
      const { key, index } = last.current;
      const near = state.items[Math.min(index, state.items.length - 1)];
      const next = elements.get(key) ?? (near && elements.get(near.key));
      (next ?? input.current)?.focus();
    }
    return () => {
      document.removeEventListener('focusin', note);
      document.removeEventListener('pointerdown', left);
    };
  }, [state, elements, input]);
}

function useValidity(
  input: RefObject<HTMLInputElement | null>,
  { checkValidity = false }: FileUploadProps,
  state: UploadState,
  { invalidField }: UploadLabels,
): void {
  const wrong = checkValidity && state.items.some(({ fault }) => fault !== undefined);
  useEffect(() => {
    input.current?.setCustomValidity(wrong ? invalidField : '');
  }, [input, wrong, invalidField]);
}

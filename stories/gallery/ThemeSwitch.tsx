import styles from '#stories/gallery/gallery.module.css';
import { setTheme, type Theme, useTheme } from '#web/browser/theme.ts';

const choices: readonly [Theme, string][] = [
  ['system', 'Sistem'],
  ['light', 'Terang'],
  ['dark', 'Gelap'],
];

export function ThemeSwitch() {
  const theme = useTheme();
  return (
    <fieldset className={styles['themes']}>
      <legend className="sr-only">Theme</legend>
      {choices.map(([value, words]) => (
        <label key={value} className={styles['theme']}>
          <input
            type="radio"
            name="gallery-theme"
            className="sr-only"
            checked={theme === value}
            onChange={() => setTheme(value, false)}
          />
          <span lang="id">{words}</span>
        </label>
      ))}
    </fieldset>
  );
}

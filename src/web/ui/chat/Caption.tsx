import { Fragment, useMemo, useState } from 'react';
import { captionNodes, foldAt, type CaptionNode } from '#contract/messages/captions.ts';

/**
 * A caption from an untrusted author: line breaks and links (http, https) are rendered, everything else is plain text.
 * Over 4 kB it is folded behind 'Selengkapnya'.
 */
export function Caption({ text }: { text: string }) {
  const [unfolded, setUnfolded] = useState(false);
  const fold = foldAt(text);
  const cut = unfolded ? undefined : fold;
  const nodes = useMemo(
    () => captionNodes(cut === undefined ? text : `${text.slice(0, cut)}…`),
    [text, cut],
  );
  return (
    <bdi className="break-anywhere pre-wrap">
      {nodes.map((node, index) => (
        <Fragment key={index}>{shown(node)}</Fragment>
      ))}
      {fold !== undefined && (
        <button
          type="button"
          className="block strong min-h-24 link"
          aria-expanded={unfolded}
          onClick={() => setUnfolded(!unfolded)}
        >
          {unfolded ? 'Lebih sedikit' : 'Selengkapnya'}
        </button>
      )}
    </bdi>
  );
}

function shown(node: CaptionNode) {
  if (node.kind === 'break') return <br />;
  if (node.kind === 'text') return node.text;
  return (
    <a href={node.href} title={node.href} target="_blank" rel="noopener noreferrer nofollow ugc">
      <bdi>{node.text}</bdi>
      <span className="sr-only"> (tab baru)</span>
    </a>
  );
}

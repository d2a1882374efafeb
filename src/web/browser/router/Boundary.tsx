import { Component, type ReactNode } from 'react';

type Props = {
  /** Another one means another try. */
  resetKey: unknown;
  /** What is shown instead; `again` tries once more. */
  fallback: (error: unknown, again: () => void) => ReactNode;
  children: ReactNode;
};

type State = { resetKey?: unknown; broken?: { error: unknown } | undefined };

/** Shows something else where what is inside breaks. */
export class Boundary extends Component<Props, State> {
  override state: State = {};

  static getDerivedStateFromError(error: unknown): State {
    return { broken: { error } };
  }

  static getDerivedStateFromProps({ resetKey }: Props, state: State): State | null {
    return resetKey === state.resetKey ? null : { resetKey, broken: undefined };
  }

  readonly again = () => this.setState({ broken: undefined });

  override render(): ReactNode {
    const { broken } = this.state;
    return broken ? this.props.fallback(broken.error, this.again) : this.props.children;
  }
}

/** Messages that transactions publish with their commits. */

/**
 * A topic of messages. A slice declares it beside the things that it is about; the storage carries messages of any
 * topic.
 */
export interface Topic<Message> {
  /** Unique over the whole service. */
  readonly name: string;
  /**
   * Whether every thread of the process receives the messages, which are plain data then; otherwise only the thread
   * whose storage committed them does.
   */
  readonly isForEveryThread: boolean;
  /** Never set: it ties the type of the messages to the topic. */
  readonly message?: Message;
}

/** Messages of one topic, as they pass from a thread to another. */
export type PassedMessages = readonly [topic: string, messages: readonly unknown[]];

/** The messages of one commit or of several, in the order of their transactions. */
export class Published {
  readonly #byTopic = new Map<string, { readonly isForEveryThread: boolean; readonly messages: unknown[] }>();

  /** The messages that another thread has passed on. */
  static passed(all: readonly PassedMessages[]): Published {
    const published = new Published();
    for (const [name, messages] of all)
      for (const message of messages) published.add({ name, isForEveryThread: true }, message);
    return published;
  }

  get isEmpty(): boolean {
    return this.#byTopic.size === 0;
  }

  add<Message>({ name, isForEveryThread }: Topic<Message>, message: Message): void {
    const known = this.#byTopic.get(name);
    if (known === undefined) this.#byTopic.set(name, { isForEveryThread, messages: [message] });
    else known.messages.push(message);
  }

  addAll(other: Published): void {
    for (const [name, { isForEveryThread, messages }] of other.#byTopic)
      for (const message of messages) this.add({ name, isForEveryThread }, message);
  }

  /** The messages of a topic; empty if there are none. */
  of<Message>(topic: Topic<Message>): readonly Message[] {
    return (this.#byTopic.get(topic.name)?.messages ?? []) as Message[];
  }

  /** The messages of the topics that every thread receives. */
  toPass(): readonly PassedMessages[] {
    const all: PassedMessages[] = [];
    for (const [name, { isForEveryThread, messages }] of this.#byTopic)
      if (isForEveryThread) all.push([name, messages]);
    return all;
  }
}

/** Called with the messages of a commit, or of several that became certain together. */
export type CommitListener = (published: Published) => void;

/** The commit listeners of a storage. */
export class CommitListeners {
  readonly #listeners: CommitListener[] = [];

  add(listener: CommitListener): void {
    this.#listeners.push(listener);
  }

  /**
   * Calls every listener. The transaction is on disk by now, so a listener that throws cannot fail it any more; its
   * error surfaces as an uncaught exception, because a process that missed a change serves stale answers.
   */
  notify(published: Published): void {
    if (published.isEmpty) return;
    for (const listener of this.#listeners) {
      try {
        listener(published);
      } catch (error) {
        process.nextTick(() => {
          throw error;
        });
      }
    }
  }
}

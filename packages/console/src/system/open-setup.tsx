/** The parts of the installation that are left to set up. */
import { SETUP_PARTS, type SetupPart, useSetup } from '../api/setup.ts';
import { LinkButton } from '../parts/button.tsx';
import { Section } from '../parts/section.tsx';

const NAMES: Readonly<Record<SetupPart, string>> = {
  mail: 'a mail server',
  pages: 'the pages for customers',
  backup: 'a backup that this node knows of',
  people: 'an own way in for each person',
};

/** Renders nothing once everything is done or skipped. */
export function OpenSetup() {
  const setup = useSetup();
  const open = setup === undefined ? [] : SETUP_PARTS.filter((part) => !setup.isDone(part) && !setup.isSkipped(part));
  if (open.length === 0) return null;
  return (
    <Section
      title="Before customers come"
      actions={
        <LinkButton small href="#/start">
          Open the first steps
        </LinkButton>
      }
    >
      <p>Not set up yet: {open.map((part) => NAMES[part]).join(', ')}.</p>
    </Section>
  );
}

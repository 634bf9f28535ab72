/** The steps of the service. They meet all playings in a world at once. */
import { millisecondsOf } from './durations.ts';
import type { Step, StepOf } from './scenario.ts';
import type { World } from './world.ts';

type ServiceStep = StepOf<'service'> | StepOf<'serverClock'>;

export function isOfService(step: Step): step is ServiceStep {
  return 'service' in step || 'serverClock' in step;
}

/** A service that is killed or started twice stays as it is. */
export async function playOnService(world: World, step: ServiceStep): Promise<void> {
  const { service } = world;
  if ('serverClock' in step) {
    service.skewMs = step.serverClock === 'right' ? 0 : millisecondsOf(step.serverClock);
    return;
  }
  if (step.service === 'kill') await service.kill();
  if (step.service === 'start' && !service.isUp) await service.start();
  if (step.service === 'backup') await world.backup();
  if (step.service === 'restore') await world.restore();
  if (step.service === 'rotate') await world.rotateKey();
}

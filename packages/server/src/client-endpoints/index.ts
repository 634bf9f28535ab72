/** The client endpoints, in the order of rules 4.1. */
import { activate } from './activate.ts';
import { deactivate } from './deactivate.ts';
import { heartbeat } from './heartbeat.ts';
import { validate } from './validate.ts';
import { verify } from './verify.ts';

export const clientEndpoints = [activate, validate, verify, deactivate, heartbeat];

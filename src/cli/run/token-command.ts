// What the commands of "k8s-win token" share: the administrator's kubeconfig, and the machine they run on.
import {delimiter} from 'node:path'
import * as Flags from '@oclif/core/flags'
import type {TokenInput} from '../../runs/token/admin-cluster.js'
import {chooseClient} from '../choose-machine.js'
import type {GlobalFlags} from '../arguments/flag-table.js'
import {redactor} from '../redactor.js'

export const tokenFlags = {
  kubeconfig: Flags.string({
    helpValue: '<file>',
    summary: "An administrator's kubeconfig. Required unless the environment variable KUBECONFIG names one.",
  }),
}

export async function tokenInput(
  flags: GlobalFlags & {readonly kubeconfig?: string | undefined},
  isChange: boolean,
): Promise<TokenInput> {
  const machine = await chooseClient(flags, !isChange)
  const {register: onSecret} = redactor
  return {
    kubeconfig: flags.kubeconfig,
    machine,
    onSecret,
    variable: {separator: delimiter, value: process.env['KUBECONFIG']},
  }
}

/** For their help. */
export const TOKEN_EXIT = [3, 'the kubeconfig cannot be used, or the cluster cannot be reached or forbids it'] as const

import type { ToolRisk } from '@assent/engine'
import type { Component } from 'vue'
import { IconDestroy, IconRead, IconSend, IconWrite } from '../icon/icons.ts'

/** The icon of a risk, where the tool has none of its own. */
export const RISK_ICONS: Record<ToolRisk, Component> = {
  read: IconRead,
  write: IconWrite,
  send: IconSend,
  destroy: IconDestroy,
}

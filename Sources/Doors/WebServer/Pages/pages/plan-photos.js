/** The photos of a plan and of its locations, and the reviews of the plan. */
import { fill } from '../dom.js';
import { t } from '../texts.js';
import { readPages } from '../rpc.js';
import { section } from '../ui.js';
import { gallery, reviews } from '../social.js';

/** @param {{page: any, plan: any, body: any, subject: string, isOwner: boolean}} of */
export async function show({ page, plan, body, subject, isOwner }) {
  const locations = await readPages('locations.list', 'locations', { plan: plan.id });
  fill(body, gallery({ subject, name: plan.title, mayAdd: plan.may_edit, changed: page.refresh }),
    locations.filter(({ photos }) => photos).map((one) =>
      section(one.name, gallery({ subject: `location/${one.id}`, name: one.name }))),
    reviews({ subject, own: isOwner, page }));
  page.title(`${plan.title}, ${t('plan.photos')}`);
}

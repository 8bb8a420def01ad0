/* rules_category: the text of a category and the templates in it. Between the files of rules.h.
 *
 *   %b  last part of the path, undeleted    %p  the path as it stands
 *   %r  the text inside brackets            %n  what of it stands behind its first :
 *   %w  %n as a slug: a-z and . only, others a -, at most 40    %1..%9  groups of the path's regex
 *   %%  a %
 *   {app}  the application folder
 */
#ifndef PM_CLASSIFY_RULES_CATEGORY_H
#define PM_CLASSIFY_RULES_CATEGORY_H

#include "classify/rules_condition.h"

/* Sets rule->category: what a cell says, {app} in it replaced. */
pmapdb_status pm_rule_read_category(const pm_rule_place *place, pm_text cell, pm_rule *rule);

/* Checks rule->category against its own conditions, and sets rule->refines. */
pmapdb_status pm_rule_check_category(const pm_rule_place *place, pm_rule *rule);

#endif

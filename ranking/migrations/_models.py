"""Creates all models of an app in one operation."""

from django.db.migrations.operations.base import Operation, OperationCategory


class CreateModels(Operation):
    """Run several CreateModel operations against the state after all of them.

    Django builds classes of every model in the project anew after each CreateModel; here it builds them once. Keys may
    be circular, because the tables are made when all models are known, and keys and indexes after all tables.
    """

    category = OperationCategory.ADDITION
    serialization_expand_args = ["operations"]

    def __init__(self, operations):
        self.operations = operations

    def deconstruct(self):
        return self.__class__.__qualname__, [self.operations], {}

    def state_forwards(self, app_label, state):
        state.__dict__.pop("apps", None)  # the classes; built at their next use
        for operation in self.operations:
            operation.state_forwards(app_label, state)

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        for operation in self.operations:
            operation.database_forwards(app_label, schema_editor, from_state, to_state)
        self._create_keys_and_indexes(schema_editor)

    def database_backwards(self, app_label, schema_editor, from_state, to_state):
        for operation in reversed(self.operations):
            operation.database_backwards(app_label, schema_editor, from_state, to_state)

    def describe(self):
        return f"Create {len(self.operations)} models"

    def _create_keys_and_indexes(self, schema_editor):
        """Run what Django leaves for the migration's end: it would record the migration only after its transaction.

        A process that is killed in between would leave tables that no record tells of.
        """
        for statement in schema_editor.deferred_sql:
            schema_editor.execute(statement)
        schema_editor.deferred_sql.clear()

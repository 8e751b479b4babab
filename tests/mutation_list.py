from tests.mutations import Mutation

MUTATIONS: tuple[Mutation, ...] = ()
